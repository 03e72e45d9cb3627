extension PageTexts.Console {
    static let german = PageTexts.Console(
        title: "Latchkey-Konsole",
        overview: "Übersicht",
        users: "Benutzer",
        audit: "Protokoll",
        wholeAudit: "Gesamtes Protokoll",
        operators: "Betreiber",
        yourSessions: "Ihre Sitzungen",
        installation: "Diese Installation",
        requestID: "Für Rückfragen:",
        notFound: .init(
            title: "Nicht gefunden",
            body: "Das gibt es hier nicht, oder nicht mehr."),
        forbidden: .init(
            title: "Nicht erlaubt",
            body: "Ihre Rolle erlaubt das nicht. Ein Administrator kann sie ändern."),
        foreignForm: .init(
            title: "Dieses Formular ist abgelaufen",
            body: "Es wurde nichts geändert. Öffnen Sie die Seite erneut und wiederholen Sie es."),
        refused: .init(
            title: "Abgelehnt",
            body: "Die Änderung wurde abgelehnt. Es wurde nichts geändert."),
        done: "Das ist erledigt.",
        saved: "Die Änderung ist gespeichert.",
        sent: "Die E-Mail ist unterwegs.",
        never: "nie",
        viewer: "Leser",
        support: "Betreuer",
        administrator: "Verwalter",
        lostAccess: "Passwort oder App verloren? Jemand an der Maschine führt aus: latchkey operator reset",
        appNeeded:
            "Die Konsole verlangt bei jeder Anmeldung einen zweiten Schritt. Fügen Sie jetzt eine Authenticator-App hinzu.",
        passwordHint: "Mindestens 12 Zeichen, und keines der verbreiteten Passwörter.",
        welcome: .init(
            title: "Willkommen in der Konsole",
            body: "Wählen Sie ein Passwort. Melden Sie sich dann an und fügen Sie eine Authenticator-App hinzu."),
        setPassword: "Passwort festlegen",
        weakPassword: "Dieses Passwort ist zu kurz oder zu verbreitet. Wählen Sie ein anderes.",
        notYourself: "Sie können Ihre eigene Rolle nicht ändern. Ein anderer Administrator kann es.",
        noProject: "Es gibt kein Projekt mit dieser ID.",
        hasApp: "Zweiter Faktor hinzugefügt",
        noApp: "Noch nicht angemeldet",
        lastSignIn: "Letzte Anmeldung",
        endSessions: "Sitzungen beenden",
        everyProject: "alle Projekte",
        remove: "Entfernen",
        operatorsBody:
            "Diese Personen dürfen die Konsole verwenden. Was sie tun, steht mit ihrer Adresse im Protokoll.",
        addOperator: "Betreiber hinzufügen",
        projectOfRole: "Projekt",
        projectOfRoleHint: "Leer: die ganze Installation.",
        viewerBody: "Ein Leser liest Konten, Einstellungen und das Protokoll.",
        supportBody:
            "Ein Betreuer sperrt auch Konten, beendet Sitzungen, entfernt zweite Faktoren und sendet E-Mails.",
        administratorBody: "Ein Administrator darf alles.",
        role: "Rolle",
        grantRole: "Diese Rolle geben",
        linkNotice:
            "Geben Sie diesen Link jetzt dem Betreiber: Er gilt einmal, eine Stunde lang, und wird nicht wieder gezeigt. Wer ihn hat, wird zum Betreiber.",
        removeOperator: "Diesen Betreiber entfernen?",
        removeOperatorBody:
            "Die Rolle endet sofort, mit jeder Sitzung der Konsole. Was der Betreiber getan hat, bleibt im Protokoll.",
        end: "Beenden",
        sessionsBody: "Eine Sitzung endet 30 Minuten nach der letzten Verwendung und 12 Stunden nach der Anmeldung.",
        endAllSessions: "Alle meine Sitzungen beenden",
        disable: .init(
            title: "Konto sperren",
            body:
                "Der Benutzer kann sich nicht anmelden, und Tokens werden abgelehnt. Die Sitzungen gehen weiter, wenn das Konto wieder frei ist."
        ),
        enable: .init(
            title: "Konto freigeben",
            body: "Der Benutzer kann sich wieder anmelden, und frühere Sitzungen gehen weiter."),
        cancelDeletion: .init(
            title: "Konto behalten",
            body:
                "Es wird nicht gelöscht, und der Benutzer kann sich wieder anmelden. Beendete Sitzungen bleiben beendet."
        ),
        unlock: .init(
            title: "Falsche Passwörter vergessen",
            body: "Der Benutzer kann es sofort wieder versuchen. Das kann auch, wer die falschen versucht hat."),
        endSessionsOfUser: .init(
            title: "Alle Sitzungen beenden",
            body: "Der Benutzer wird auf jedem Gerät abgemeldet, und jedes Token ist ungültig."),
        endSession: .init(
            title: "Diese Sitzung beenden",
            body: "Das Gerät wird abgemeldet, spätestens wenn sein Token innerhalb einer Stunde abläuft."),
        removeFactor: .init(
            title: "Diesen zweiten Faktor entfernen",
            body:
                "Jede Sitzung endet, und die nächste Anmeldung fragt nicht danach. Prüfen Sie zuerst, dass der Besitzer darum bittet. Das lässt sich nicht rückgängig machen."
        ),
        removePasskey: .init(
            title: "Diesen Passkey entfernen",
            body:
                "Er meldet nicht mehr an. Der Benutzer kann einen anderen hinzufügen. Das lässt sich nicht rückgängig machen."
        ),
        sendReset: .init(
            title: "Passwort-E-Mail senden",
            body: "Der Benutzer erhält einen Link, um ein neues Passwort zu wählen. Bis dahin gilt das alte."),
        sendVerification: .init(
            title: "Bestätigungs-E-Mail senden",
            body: "Der Benutzer erhält einen Link, der die Adresse bestätigt."),
        deleteUser: .init(
            title: "Konto löschen",
            body:
                "Das Konto, seine Faktoren, Passkeys und Sitzungen werden gelöscht. Das Protokoll behält, was geschah. Das lässt sich nicht rückgängig machen."
        ),
        searchUsers: "Benutzer suchen",
        searchHint:
            "Der Anfang einer Adresse, Nummer, eines Namens oder einer Benutzer-ID, oder ein Anbieter wie google.com.",
        filter: "Filtern",
        sort: "Sortieren nach",
        search: "Suchen",
        nextPage: "Nächste Seite",
        noUsers:
            "Kein Benutzer passt. Neue Benutzer erscheinen hier, wenn sie sich registrieren oder importiert werden.",
        user: "Benutzerkonto",
        displayName: "Anzeigename",
        id: "Benutzer-ID",
        created: "Angelegt",
        tenant: "Mandant",
        moreMatches: "Weitere Benutzer passen. Geben Sie mehr ein, um sie zu sehen.",
        everyUser: "alle Benutzer",
        disabledUsers: "gesperrte Konten",
        usersWithFactor: "mit zweitem Faktor",
        disabled: "gesperrt",
        claims: "Eigene Claims",
        profile: "Konto",
        canSignIn: "Nichts verhindert eine Anmeldung dieses Benutzers.",
        cannotSignIn: "Dieser Benutzer kann sich nicht anmelden:",
        mayNotSignIn: "Etwas kann einer Anmeldung im Weg stehen:",
        obstacleDisabled: "Das Konto ist gesperrt.",
        obstacleDeletion: {
            "Das Konto wird gelöscht: \($0). Bis dahin kann der Benutzer es auf den Anmeldeseiten nur wiederherstellen."
        },
        obstacleTenant: "Der Mandant erlaubt keine Anmeldung.",
        obstacleNoMethod: "Das Konto hat keinen Anmeldeweg.",
        obstacleNotPermitted: "Die Einstellungen erlauben keinen der Anmeldewege des Kontos.",
        obstacleAttempts: { "Zu viele falsche Passwörter: Der nächste Versuch zählt nach \($0) UTC." },
        obstacleAddress: "Ein zweiter Faktor ist Pflicht, und die Adresse muss vorher bestätigt sein.",
        obstacleMethod: { "Die Einstellungen erlauben nicht: \($0)" },
        obstacleFactor: "Ein zweiter Faktor ist Pflicht: Die nächste Anmeldung fügt ihn hinzu.",
        provider: "Identitätsanbieter",
        methods: "Anmeldewege",
        secondFactors: "Zweite Faktoren",
        noFactors: "Das Konto hat keinen zweiten Faktor.",
        sessions: "Sitzungen",
        noSessions: "Der Benutzer ist nirgends angemeldet.",
        events: "Was geschehen ist",
        noRecords: "Das Protokoll hat keine solchen Einträge.",
        actor: "Wer",
        action: "Was",
        time: "Wann (UTC)",
        outcome: "Ergebnis",
        address: "Adresse",
        verifyLog: "Protokoll prüfen",
        verifyLogBody:
            "Jeder Eintrag ist mit dem vorigen verkettet. Die Prüfung findet geänderte oder entfernte Einträge.",
        export: "Protokoll herunterladen",
        logVerified: { "Das Protokoll ist unversehrt: \($0) Einträge." },
        logPartlyVerified: { "\($0) Einträge sind unversehrt. Fahren Sie mit dem Rest fort." },
        attention: "Was Aufmerksamkeit braucht",
        serviceAway: { "Antwortet nicht: \($0)" },
        componentAway: { "Arbeitet nicht: \($0)" },
        projects: "Projekte",
        latestChanges: "Letzte Änderungen",
        settings: "Einstellungen",
        review: "Änderungen ansehen",
        noChanges: "Nichts ist anders.",
        setting: "Einstellung",
        before: "Jetzt",
        after: "Danach",
        conflict:
            "Andere haben die Einstellungen inzwischen geändert. Sehen Sie sie an und wiederholen Sie Ihre Änderung.",
        changeHistory: "Wer die Einstellungen geändert hat",
        badLine: { "Diese Zeile ist nicht lesbar: \($0)" })
}
