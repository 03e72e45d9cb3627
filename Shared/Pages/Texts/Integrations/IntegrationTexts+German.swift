extension PageTexts.Integrations {
    static let german = PageTexts.Integrations(
        title: "Anbindungen",
        body:
            "Was andere Programme verwenden: Webhooks, Anwendungen, Schlüssel von Backends und Schlüssel für Push-Nachrichten.",
        shownOnce: "Kopieren Sie dies jetzt: Es wird nicht noch einmal angezeigt.",
        back: "Zurück zu den Anbindungen",
        webhooks: "Webhooks für Ereignisse",
        webhooksBody: "Signierte Anfragen sagen einem Ihrer Server, was mit Konten geschieht.",
        addWebhook: "Webhook hinzufügen",
        webhookURL: "URL Ihres Servers",
        eventTypes: "Arten von Ereignissen",
        eventTypesHint: "Eine in jeder Zeile, zum Beispiel account.created. Leer: alle.",
        everyEvent: "alle Ereignisse",
        working: "funktioniert",
        failing: "antwortet nicht richtig",
        gone: "hat geantwortet, dass es ihn nicht mehr gibt",
        state: "Zustand",
        waiting: "Wartende Ereignisse",
        dropped: "Ereignisse, die gelöscht wurden, weil es zu viele waren",
        deliveries: "Letzte Ereignisse",
        noDeliveries: "Noch kein Ereignis. Senden Sie einen Test, um zu sehen, ob Ihr Server antwortet.",
        pending: "wartet",
        delivered: "zugestellt",
        failed: "fehlgeschlagen",
        attempts: "Versuche",
        problem: "Grund",
        sendTest: "Test senden",
        replay: "Erneut senden",
        turnOff: "Ausschalten",
        turnOn: "Einschalten",
        rotateSecret: .init(
            title: "Neues Geheimnis",
            body:
                "Ihr Server braucht das neue Geheimnis, um Ereignisse anzunehmen. Das frühere signiert noch einen Tag lang mit."
        ),
        removeWebhook: .init(
            title: "Diesen Webhook entfernen",
            body:
                "Seine wartenden Ereignisse werden gelöscht, und Ihr Server bekommt keine mehr. Das kann nicht rückgängig gemacht werden."
        ),
        applications: "Anwendungen",
        applicationsBody: "Sie bekommen ihre Benutzer von den Anmeldeseiten.",
        addApplication: "Anwendung hinzufügen",
        applicationName: "Name, den Benutzer sehen",
        kind: "Wo sie läuft",
        webKind: "Webseite",
        toolKind: "Kommandozeile oder Desktop",
        redirects: "Adressen, an die Benutzer zurückkehren dürfen",
        redirectsHint: "Eine in jeder Zeile.",
        clientID: "Client-ID",
        removeApplication: .init(
            title: "Diese Anwendung entfernen",
            body:
                "Sie kann ab jetzt niemanden mehr anmelden. Das kann nicht rückgängig gemacht werden."
        ),
        clientConfiguration: "API-Schlüssel und Code für Anwendungen",
        clientConfigurationBody: "Das ist kein Geheimnis: Jede Kopie einer Anwendung enthält es.",
        apiKey: "API-Schlüssel",
        show: "Anzeigen",
        serviceAccounts: "Dienstkonten",
        serviceAccountsBody: "Mit einem solchen Schlüssel verwaltet ein Backend dieses Projekt.",
        addServiceAccount: "Schlüssel erzeugen",
        serviceAccountName: "Name des Kontos",
        serviceAccountNameHint:
            "Kleinbuchstaben, Ziffern und Bindestriche. Ein vorhandenes Konto bekommt einen weiteren Schlüssel.",
        keyFile: "Schlüsseldatei",
        removeServiceAccount: .init(
            title: "Diesen Schlüssel widerrufen",
            body:
                "Wer ihn hat, kann damit nichts mehr tun, und seine Zugriffstoken enden sofort. Das kann nicht rückgängig gemacht werden."
        ),
        pushKeys: "Schlüssel für Push-Nachrichten an Apple-Geräte",
        pushKeysBody: "Anwendungen ohne einen verwenden den Schlüssel der Installation.",
        addPushKey: "Push-Schlüssel hinzufügen",
        bundleID: "Bundle-ID",
        keyID: "Schlüssel-ID",
        teamID: "Team-ID",
        environment: "Umgebung",
        everyEnvironment: "Sandbox und Produktion",
        privateKey: "Privater Schlüssel",
        privateKeyHint:
            "Der Inhalt der Datei AuthKey_….p8 von Apple. Er wird versiegelt und nicht noch einmal angezeigt.",
        removePushKey: .init(
            title: "Diesen Schlüssel entfernen",
            body:
                "Er sendet keine Push-Nachrichten mehr. Die Anwendung verwendet dann einen anderen Schlüssel oder die Prüfseite. Das kann nicht rückgängig gemacht werden."
        ),
        functions: "Sperrende Funktionen",
        functionsBody: "Sie entscheiden über eine Registrierung oder Anmeldung, bevor sie geschieht.",
        beforeCreate: "Funktion vor einem neuen Konto",
        beforeSignIn: "Funktion vor einer Anmeldung",
        functionHint: "Eine https-URL, die sieben Sekunden für ihre Antwort hat. Leer: keine.",
        sendIDToken: "ID-Token des Identitätsanbieters mitsenden",
        sendAccessToken: "Zugriffstoken des Identitätsanbieters mitsenden",
        sendRefreshToken: "Aktualisierungstoken des Identitätsanbieters mitsenden",
        none: "Noch keine.")
}
