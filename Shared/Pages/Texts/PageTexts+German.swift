extension PageTexts {
    static let german = PageTexts(
        resetPassword: .init(
            title: "Neues Passwort wählen", body: "Für das Konto mit dieser Adresse:", button: "Passwort speichern",
            done: .init(
                title: "Ihr Passwort wurde geändert",
                body: "Sie können sich jetzt damit anmelden. Überall sonst wurden Sie abgemeldet.")),
        newPassword: "Neues Passwort", passwordRequirements: "Das Passwort braucht:",
        atLeast: { "mindestens \($0) Zeichen" }, atMost: { "höchstens \($0) Zeichen" },
        lowercase: "einen Kleinbuchstaben", uppercase: "einen Großbuchstaben", numeric: "eine Ziffer",
        nonAlphanumeric: "ein Sonderzeichen",
        guessablePassword: "Dieses Passwort ist zu leicht zu erraten. Wählen Sie ein anderes.",
        verifyEmail: .init(
            title: "E-Mail-Adresse bestätigen", body: "Diese Adresse gehört Ihnen:", button: "Bestätigen",
            done: .init(
                title: "Ihre E-Mail-Adresse ist bestätigt", body: "Sie können zur Anwendung zurückkehren.")),
        accountMethods: .init(
            list: "Zurzeit kann man sich mit Folgendem bei dem Konto anmelden:",
            none: "Noch kann sich niemand bei dem Konto anmelden.",
            password: "Passwort", emailLink: "Link per E-Mail", phoneNumber: "Telefonnummer"),
        notMe: .init(
            body:
                "Wenn Sie dieses Konto nicht angelegt haben, entfernen Sie diese Anmeldewege. Alle, die sie benutzen, werden abgemeldet.",
            button: "Das war ich nicht",
            done: .init(
                title: "Die Anmeldewege sind entfernt",
                body:
                    "Alle sind abgemeldet, und die Adresse ist nicht bestätigt. Wenn Sie das Konto selbst benutzen möchten, wählen Sie ein Passwort."
            )),
        changeEmail: .init(
            title: "E-Mail-Adresse ändern", body: "Ab jetzt melden Sie sich mit dieser Adresse an:",
            button: "Adresse ändern",
            done: .init(
                title: "Ihre E-Mail-Adresse wurde geändert", body: "Melden Sie sich mit der neuen Adresse wieder an.")),
        changedAccount: "Das Konto, das um die Änderung gebeten hat, hat derzeit diese Adresse:",
        notMyChange: .init(
            body: "Wenn das nicht Ihr Konto ist, bekäme mit der Änderung ein fremdes Konto Ihre Adresse.",
            button: "Das war ich nicht",
            done: .init(
                title: "Die Adresse bleibt, wie sie war",
                body: "Das Konto hat Ihre Adresse nicht bekommen. Sie müssen nichts weiter tun.")),
        recoverEmail: .init(
            title: "E-Mail-Adresse zurückholen", body: "Ihr Konto erhält wieder diese Adresse:",
            button: "Änderung rückgängig machen",
            done: .init(
                title: "Ihre E-Mail-Adresse ist zurück",
                body: "Wenn nicht Sie sie geändert haben, kennt vielleicht jemand Ihr Passwort. Ändern Sie es jetzt.")),
        changePassword: .init(
            title: "Passwort ändern", body: "Wir senden einen Link an diese Adresse:",
            button: "Link für ein neues Passwort senden",
            done: .init(
                title: "Sehen Sie in Ihr Postfach", body: "Ein Link für ein neues Passwort ist unterwegs.")),
        removeSecondFactor: .init(
            title: "Zweiten Schritt entfernen", body: "Dieser zweite Schritt Ihrer Anmeldung wird entfernt:",
            button: "Entfernen",
            done: .init(
                title: "Der zweite Schritt wurde entfernt",
                body: "Wenn nicht Sie ihn hinzugefügt haben, kennt vielleicht jemand Ihr Passwort."
                    + " Ändern Sie es jetzt.")),
        removePasskey: .init(
            title: "Passkey entfernen", body: "Dieser Passkey wird aus Ihrem Konto entfernt:", button: "Entfernen",
            done: .init(
                title: "Der Passkey wurde entfernt",
                body: "Wenn nicht Sie ihn hinzugefügt haben, kennt vielleicht jemand Ihr Passwort. Ändern Sie es jetzt."
            )),
        accountPasskeys: .init(
            list: "Mit diesen Passkeys kann man sich bei Ihrem Konto anmelden:", unnamed: "Ein Passkey",
            added: { "Hinzugefügt am \($0)" }, lastUsed: { "Zuletzt benutzt am \($0)" },
            stay:
                "Ein neues Passwort entfernt sie nicht. Wenn Sie einen davon nicht kennen, entfernen Sie ihn in der Anwendung.",
            removal: .init(
                body:
                    "Wenn jemand anders die Adresse geändert hat, gehört vielleicht auch ein Passkey dieser Person. Ihre eigenen Passkeys können Sie später wieder hinzufügen.",
                button: "Das war ich nicht: auch diese Passkeys entfernen",
                done: .init(
                    title: "Ihre E-Mail-Adresse ist zurück, und die Passkeys sind entfernt",
                    body: "Vielleicht kennt jemand auch Ihr Passwort. Ändern Sie es jetzt."))),
        recentProviders: .init(
            list:
                "In den letzten sieben Tagen wurden diese Konten anderer Anbieter verknüpft. Man kann sich mit ihnen anmelden:",
            linked: { "Verknüpft am \($0)" },
            stay:
                "Ein neues Passwort entfernt sie nicht. Wenn Sie eines davon nicht kennen, entfernen Sie es in der Anwendung."
        ),
        authenticatorApp: "Authenticator-App",
        signIn: .init(title: "Anmelden", body: "Noch ein Klick, und Sie sind angemeldet."),
        signInHasNoTarget: "Öffnen Sie diesen Link auf dem Gerät, auf dem Sie sich anmelden möchten.",
        continueLabel: "Weiter",
        appVerification: .init(
            title: "Einen Moment bitte",
            body:
                "Wir stellen sicher, dass kein Programm Nachrichten anfordert. Das dauert ein paar Sekunden,"
                + " dann geht es von selbst zurück zur App.",
            prompt: "Zeigen Sie, dass Sie ein Mensch sind. Dann geht es zurück zur App.",
            done: "Fertig. Es geht zurück zur App.", goBack: "Zurück zur App",
            failed: "Die Prüfung hat nicht geklappt.", tryAgain: "Noch einmal versuchen",
            noScript:
                "Diese Seite braucht JavaScript. Schalten Sie es im Browser ein und öffnen Sie die Seite"
                + " noch einmal aus der App.",
            unknownApp: .init(
                title: "Diese App ist hier nicht bekannt",
                body:
                    "Gehen Sie zurück zur App und versuchen Sie es noch einmal. Hilft das nicht, wenden Sie"
                    + " sich an den Betreiber.")),
        providerSignIn: .init(
            returning: .init(title: "Gleich geht es weiter", body: "Es geht zurück zur Anwendung."),
            canceled: .init(
                title: "Sie sind nicht angemeldet",
                body:
                    "Sie haben die Anmeldung beim Anbieter beendet. In der Anwendung können Sie es noch einmal versuchen."
            ),
            refused: .init(
                title: "Der Anbieter hat Sie nicht angemeldet",
                body:
                    "Er hat einen Fehler gemeldet, oder seine Antwort war ungültig. Gehen Sie zurück zur Anwendung und versuchen Sie es noch einmal."
            ),
            unreachable: .init(
                title: "Der Anbieter ist nicht erreichbar",
                body: "Versuchen Sie es in ein paar Minuten noch einmal, oder melden Sie sich auf einem anderen Weg an."
            ),
            notOffered: .init(
                title: "Diese Anmeldung gibt es hier nicht",
                body: "Gehen Sie zurück zur Anwendung und wählen Sie eine andere."),
            expired: .init(
                title: "Diese Anmeldung ist beendet",
                body:
                    "Sie hat mehr als zehn Minuten gedauert oder in einem anderen Browser begonnen. Beginnen Sie in der Anwendung von vorn."
            ),
            unknownApp: .init(
                title: "Diese Anwendung ist hier nicht eingerichtet",
                body: "Ihre Betreiber müssen ihre Adresse hier eintragen."),
            noWindow:
                "Das Fenster der Anwendung ist geschlossen. Schließen Sie auch dieses und beginnen Sie in der Anwendung von vorn."
        ),
        passkeyPage: .init(
            title: "Passkeys verwalten",
            identifier: "E-Mail-Adresse oder Telefonnummer",
            signIn: "Mit einem Passkey anmelden",
            password: "Passwort",
            signInWithPassword: "Mit dem Passwort anmelden",
            signUpBody: "Noch kein Konto? Sie brauchen weder eine Adresse noch ein Passwort.",
            signUp: "Ein Konto nur mit einem Passkey anlegen",
            signedInAs: "Sie sind angemeldet als:",
            list: "Ihre Passkeys",
            noPasskeys: "Das Konto hat keinen Passkey.",
            name: "Name des Passkeys",
            rename: "Umbenennen",
            remove: "Entfernen",
            add: "Einen Passkey hinzufügen",
            signOut: "Abmelden",
            noScript:
                "Diese Seite braucht JavaScript. Schalten Sie es im Browser ein und laden Sie die Seite noch einmal.",
            removalQuestion:
                "Diesen Passkey entfernen? Sie können sich dann nicht mehr mit ihm anmelden, nur noch auf den anderen Wegen Ihres Kontos.",
            cancel: "Abbrechen",
            messages: .init(
                added: "Der Passkey wurde hinzugefügt.",
                renamed: "Der Passkey hat einen neuen Namen.",
                removed: "Der Passkey wurde entfernt. Er meldet niemanden mehr an.",
                canceled: "Sie oder der Browser haben den Vorgang beendet. Versuchen Sie es noch einmal.",
                exists: "Ihr Passwort-Manager hat schon einen Passkey für dieses Konto.",
                unknown: "Kein Konto hat diesen Passkey mehr. Wählen Sie einen anderen.",
                timedOut: "Das hat zu lange gedauert. Versuchen Sie es noch einmal.",
                secondFactor:
                    "Dieses Konto braucht einen zweiten Schritt. Melden Sie sich stattdessen in der Anwendung an.",
                invalidCredentials: "Die E-Mail-Adresse oder das Passwort ist falsch.",
                lastMethod:
                    "Das ist der einzige Weg, sich bei Ihrem Konto anzumelden. Fügen Sie zuerst einen anderen hinzu.",
                failed: "Das hat nicht geklappt.",
                unsupported: "Dieser Browser unterstützt keine Passkeys.")),
        hostedSignIn: .init(
            title: "Anmelden",
            signUpTitle: "Konto anlegen",
            toContinue: { "um \($0) zu benutzen" },
            email: "E-Mail-Adresse",
            newHere: "Noch kein Konto?",
            createAccount: "Konto anlegen",
            haveAccount: "Haben Sie schon ein Konto?",
            enterPassword: "Geben Sie Ihr Passwort ein",
            showPassword: "Passwort anzeigen",
            forgotten: "Passwort vergessen?",
            emailLink: "Link per E-Mail senden",
            emailCode: "Code per E-Mail senden",
            otherAccount: "Anderes Konto benutzen",
            or: "oder",
            continueWith: { "Weiter mit \($0)" },
            invalidEmail: "Geben Sie eine Adresse wie name@example.com ein.",
            missingPassword: "Geben Sie Ihr Passwort ein.",
            name: "Ihr Name (freiwillig)",
            emailHasAccount: "Diese Adresse hat schon ein Konto. Melden Sie sich damit an.",
            otherMethod: "Diese Adresse hat schon ein Konto. Melden Sie sich an wie bisher.",
            resetSent: "Falls ein Konto diese Adresse hat, ist ein Link für ein neues Passwort unterwegs.",
            linkSent: "Ein Link zum Anmelden ist unterwegs. Öffnen Sie ihn in diesem Browser.",
            linkEmail: "Die Adresse, an die der Link ging.",
            chooseFactor: "Bestätigen Sie, dass Sie es sind",
            appCode: "Geben Sie den Code aus Ihrer Authenticator-App ein",
            smsCode: "Geben Sie den Code aus Ihrer SMS ein",
            smsSentTo: { "Wir haben ihn an \($0) gesendet." },
            enterEmailCode: "Geben Sie den Code aus der E-Mail ein",
            emailSentTo: { "Wir haben ihn an \($0) gesendet." },
            codeLabel: "Sechsstelliger Code",
            confirm: "Bestätigen",
            wrongCode: "Das ist nicht der Code. Versuchen Sie es noch einmal.",
            codeExpired: "Der Code ist abgelaufen. Senden Sie einen neuen.",
            sendAgain: "Neuen Code senden",
            useApp: "Authenticator-App benutzen",
            useSMS: { "SMS an \($0) senden" },
            useRecoveryCode: "Wiederherstellungscode benutzen",
            enterRecoveryCode: "Geben Sie einen Wiederherstellungscode ein",
            recoveryCode: "Wiederherstellungscode",
            recoveryCodeHint: "Jeder Code gilt einmal.",
            verifyFirst: .init(
                title: "Bestätigen Sie zuerst Ihre Adresse",
                body:
                    "Ihr Konto braucht einen zweiten Schritt beim Anmelden. Sie können ihn einrichten, sobald Ihre Adresse bestätigt ist."
            ),
            sendEmail: "E-Mail senden",
            verificationSent: "Eine E-Mail ist unterwegs. Öffnen Sie den Link darin, und machen Sie dann hier weiter.",
            secondStepNeeded: "Ihr Konto braucht einen zweiten Schritt beim Anmelden.",
            openApp: "App auf diesem Gerät öffnen",
            offerPasskey: .init(
                title: "Beim nächsten Mal ohne Passwort anmelden",
                body:
                    "Mit einem Passkey genügen Ihr Fingerabdruck, Ihr Gesicht oder die Bildschirmsperre."
            ),
            notNow: "Jetzt nicht",
            startAgain: "Von vorn beginnen",
            signedIn: "Sie sind angemeldet",
            continueAs: { "Weiter als \($0)" },
            signOutEverywhere: "Auf allen Geräten abmelden",
            signUpClosed: "Hier können keine neuen Konten angelegt werden. Fragen Sie die Betreiber der Anwendung.",
            signedOut: .init(title: "Sie sind abgemeldet", body: "Sie können diese Seite schließen."),
            foreignForm: .init(
                title: "Das kam nicht von hier",
                body:
                    "Die Seite war zu lange offen, oder Cookies sind ausgeschaltet. Gehen Sie zurück und versuchen Sie es noch einmal."
            )),
        foot: .init(help: "Hilfe", terms: "Nutzungsbedingungen", privacy: "Datenschutz"),
        incompleteLink: .init(
            title: "Dieser Link ist unvollständig",
            body: "Ein Teil der Adresse fehlt. Kopieren Sie den ganzen Link aus der Nachricht in Ihren Browser."),
        unknownApplication: .init(
            title: "Dieser Link gehört zu einer anderen Anwendung",
            body:
                "Unter seinem Schlüssel ist hier keine Anwendung eingetragen. Bitten Sie den Absender um einen neuen Link."
        ),
        invalidLink: .init(
            title: "Dieser Link funktioniert nicht",
            body: "Er wurde schon benutzt, oder es gibt einen neueren. Fordern Sie einen neuen an."),
        expiredLink: .init(title: "Dieser Link ist abgelaufen", body: "Fordern Sie einen neuen an."),
        accountDisabled: .init(
            title: "Dieses Konto ist gesperrt", body: "Wenden Sie sich an den Betreiber der Anwendung."),
        emailAlreadyInUse: .init(
            title: "Diese Adresse ist vergeben", body: "Inzwischen hat ein anderes Konto diese E-Mail-Adresse."),
        crossSiteForm: .init(
            title: "Das kam nicht von hier",
            body: "Öffnen Sie den Link in Ihrer E-Mail noch einmal und benutzen Sie seine Schaltfläche."),
        tooManyAttempts: .init(
            title: "Zu viele Versuche", body: "Warten Sie eine Weile und versuchen Sie es dann erneut."),
        unavailable: .init(
            title: "Das hat nicht geklappt", body: "Der Fehler liegt bei uns. Versuchen Sie es gleich noch einmal."))
}
