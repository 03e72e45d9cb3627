extension PageTexts.Phone {
    static let german = PageTexts.Phone(
        emailOrNumber: "E-Mail-Adresse oder Telefonnummer",
        invalidEmailOrNumber:
            "Geben Sie eine Adresse wie name@example.com ein oder eine Nummer mit Ländervorwahl wie +49 1512 3456789.",
        useNumber: "Telefonnummer benutzen",
        numberHint: "Mit Ländervorwahl, zum Beispiel +49 1512 3456789. Wir senden einen Code per SMS dorthin.",
        invalidNumber: "Geben Sie eine Nummer mit Ländervorwahl ein, zum Beispiel +49 1512 3456789.",
        sendCode: "Code senden",
        cannotSend:
            "An diese Nummer kann keine SMS gesendet werden. Benutzen Sie eine andere Nummer oder einen anderen Weg.",
        numberTaken:
            "Diese Nummer gehört zu einem anderen Konto. Melden Sie sich bei diesem Konto an und entfernen Sie sie dort zuerst.",
        oneRole:
            "Ein Telefon kann nicht zugleich Anmeldeweg und zweiter Schritt sein. Entfernen Sie zuerst eines von beiden.",
        addNumber: "Telefonnummer hinzufügen",
        changeNumber: "Telefonnummer ändern",
        numberBody: "Sie können sich dann mit einem Code anmelden, den wir an diese Nummer senden.",
        removeNumber: "Telefonnummer entfernen",
        removeNumberBody: "Sie können sich dann nicht mehr mit einem Code an diese Nummer anmelden.",
        addMessages: "SMS hinzufügen",
        addMessagesBody:
            "Wir senden bei der Anmeldung einen Code an Ihr Telefon. Auf allen anderen Geräten werden Sie abgemeldet.",
        phoneName: "Name des Telefons (freiwillig)",
        alreadyAdded: "Diese Nummer ist schon einer Ihrer zweiten Schritte.",
        tooManyFactors: "Ihr Konto hat schon so viele zweite Schritte, wie es haben kann. Entfernen Sie zuerst einen.",
        noSecondStep:
            "Zu dem Weg, auf dem Sie sich angemeldet haben, gibt es keinen zweiten Schritt. Melden Sie sich zuerst mit Ihrem Passwort oder auf einem anderen Weg an.",
        factorName: "Name des zweiten Schritts",
        invalidName: "Geben Sie einen Namen mit höchstens 128 Zeichen ein.")
}
