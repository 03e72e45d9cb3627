extension PageTexts.Overview {
    static let german = PageTexts.Overview(
        span: "Zeitraum",
        activity: "Aktivität",
        lastHour: "Letzte Stunde",
        lastDay: "Letzte 24 Stunden",
        lastMonth: "Letzte 31 Tage",
        signIns: "Anmeldungen nach Methode",
        signUps: "Neue Konten",
        secondFactors: "Zweite Faktoren",
        smsCost: "Kosten der SMS",
        messages: "Nachrichten",
        requests: "Anfragen",
        slowest: "Langsamste 1 % der Anfragen",
        passkey: "Passkeys",
        password: "Passwort",
        provider: "Identitätsanbieter",
        phone: "Telefonnummer",
        email: "Link oder Code per E-Mail",
        other: "Andere Wege",
        app: "Authenticator-App",
        sms: "SMS-Code",
        recoveryCode: "Wiederherstellungscode",
        rememberedDevice: "Gemerktes Gerät",
        refused: "Abgelehnt",
        failed: "Fehlgeschlagen",
        answered: "Beantwortet",
        emailsDelivered: "E-Mails zugestellt",
        emailsFailed: "E-Mails fehlgeschlagen",
        smsDelivered: "SMS zugestellt",
        smsFailed: "SMS fehlgeschlagen",
        smsRefused: "SMS durch ein Limit abgelehnt",
        readAsTable: "Als Tabelle lesen",
        nothing: "In dieser Zeit wurde nichts gezählt. Was Benutzer tun, erscheint hier innerhalb einer Minute.",
        noSMS:
            "Es wurde keine SMS gesendet. Die Einstellungen eines Projekts schalten Telefonnummern und SMS als zweiten Faktor ein.",
        signInsToday: "Anmeldungen heute",
        signUpsToday: "Neue Konten heute",
        refusedToday: "Heute abgelehnte Anmeldungen",
        smsYesterday: "SMS gestern",
        currency: "Beträge sind in der Währung Ihrer Preise (LATCHKEY_SMS_PRICES). Tage sind die von UTC.",
        costsOfToday: "SMS heute nach Projekt",
        cost: "Kosten",
        nothingToDo:
            "Nichts verlangt Aufmerksamkeit: Alle Dienste antworten, Nachrichten kommen an, und kein Budget ist fast verbraucht.",
        numbersMissing:
            "Einige Zahlen konnten nicht gelesen werden und fehlen auf dieser Seite. Sie sind nicht null. Laden Sie die Seite neu.",
        summary: { "Insgesamt \($0), am meisten um \($1): \($2)." },
        summaryOfDays: { "Insgesamt \($0), am meisten am \($1): \($2)." },
        today: { "heute \($0)" },
        inMonth: { "31 Tage \($0)" },
        spentOfDay: {
            "SMS von \($0) haben heute \($1) von \($2) gekostet. Ist nichts übrig, werden bis morgen (UTC) keine gesendet."
        },
        spentOfHour: {
            "SMS von \($0) haben in dieser Stunde \($1) von \($2) gekostet. Ist nichts übrig, werden bis zur nächsten keine gesendet."
        },
        emailsFailing: {
            "In der letzten Stunde fehlgeschlagene E-Mails: \($0) von \($1). Die Gründe stehen im Protokoll des notifier (delivery.failed)."
        },
        smsFailing: {
            "In der letzten Stunde fehlgeschlagene SMS: \($0) von \($1). Die Gründe stehen im Protokoll des notifier (delivery.failed)."
        },
        pushesFailing: {
            "In der letzten Stunde fehlgeschlagene Push-Nachrichten: \($0) von \($1). Die Gründe stehen im Protokoll des notifier (delivery.failed)."
        },
        requestsFailing: {
            "In der letzten Stunde fehlgeschlagene Anfragen: \($0) von \($1). Sie stehen im Protokoll des gateway (request.completed, Status ab 500)."
        },
        exampleSetting: {
            "\($0) sieht wie ein Beispiel aus. Setzen Sie einen eigenen Wert, bevor Benutzer davon abhängen."
        },
        certificateEnds: {
            "Das Zertifikat, das Anfragen an \($0) signiert, endet am \($1). Geben Sie dem Anbieter vorher das nächste."
        },
        atMost: { "höchstens \($0) ms" },
        moreThan: { "mehr als \($0) ms" })
}
