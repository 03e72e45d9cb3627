import Contracts
import Vocabulary

extension EmailLanguage {
    static let german = EmailLanguage(
        language: .german,
        greeting: "Hallo %DISPLAY_NAME%,",
        genericGreeting: "Hallo,",
        linkHint: "Falls die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:",
        farewell: "Ihr %APP_NAME%-Team",
        support: "Fragen? %SUPPORT_CONTACT%",
        genericFactorName: "ein zweiter Faktor",
        hiddenPasskeyName: "wird nicht angezeigt",
        unknownClient: "unbekannt",
        methods: .init(
            password: "Passwort", emailLink: "Link per E-Mail", phoneNumber: "Telefonnummer", passkey: "Passkey",
            none: "keine",
            separator: ", ")
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "E-Mail-Adresse für %APP_NAME% bestätigen",
                lead: "Folgen Sie diesem Link, um Ihre E-Mail-Adresse %EMAIL% zu bestätigen.",
                button: "E-Mail-Adresse bestätigen",
                closing: "Falls Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren.")
        case .resetPassword:
            EmailText(
                subject: "Passwort für %APP_NAME% zurücksetzen",
                lead: "Folgen Sie diesem Link, um das %APP_NAME%-Passwort Ihres Kontos %EMAIL% zurückzusetzen.",
                button: "Passwort zurücksetzen",
                closing: "Falls Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren.")
        case .emailSignIn:
            EmailText(
                subject: "Bei %APP_NAME% anmelden",
                lead: "Jemand möchte sich mit der Adresse %EMAIL% bei %APP_NAME% anmelden. Folgen Sie diesem Link, um "
                    + "sich anzumelden.",
                button: "Anmelden",
                closing:
                    "Wer den Link hat, kann sich bei Ihrem Konto anmelden: Leiten Sie diese E-Mail nicht weiter. Falls "
                    + "Sie sie nicht angefordert haben, können Sie sie ignorieren.")
        case .emailSignInCode:
            EmailText(
                subject: "Ihr Anmeldecode für %APP_NAME%",
                lead:
                    "Jemand möchte sich mit der Adresse %EMAIL% bei %APP_NAME% anmelden. Geben Sie diesen Code dort ein, wo Sie ihn angefordert haben. Er ist 10 Minuten lang gültig.",
                closing:
                    "Wer den Code hat, kann sich bei Ihrem Konto anmelden: Geben Sie ihn niemandem, auch nicht dem %APP_NAME%-Team. Falls Sie das nicht waren, können Sie diese E-Mail ignorieren."
            )
        case .emailVerificationCode:
            EmailText(
                subject: "Ihr Bestätigungscode für %APP_NAME%",
                lead:
                    "Geben Sie diesen Code dort ein, wo Sie ihn angefordert haben, um Ihre E-Mail-Adresse %EMAIL% zu bestätigen. Er ist 10 Minuten lang gültig.",
                closing:
                    "Geben Sie den Code niemandem: Ihre Adresse käme damit in ein fremdes Konto. Falls Sie das nicht waren, können Sie diese E-Mail ignorieren."
            )
        case .verifyAndChangeEmail:
            EmailText(
                subject: "Neue E-Mail-Adresse für %APP_NAME% bestätigen",
                lead:
                    "Folgen Sie diesem Link, um sich künftig mit %NEW_EMAIL% anzumelden. Das Konto, das darum gebeten hat, hat jetzt die Adresse %ACCOUNT% und diese Anmeldewege: %SIGN_IN_METHODS%.",
                button: "Neue Adresse bestätigen",
                closing:
                    "Falls das nicht Ihr Konto ist, folgen Sie dem Link und wählen Sie „Das war ich nicht“.")
        case .emailChanged:
            EmailText(
                subject: "Ihre Anmeldeadresse für %APP_NAME% wurde geändert",
                lead: "Die Adresse, mit der Sie sich anmelden, wurde in %NEW_EMAIL% geändert.",
                securityAdvice:
                    "Falls Sie das nicht waren, folgen Sie diesem Link, um die Änderung rückgängig zu machen.",
                button: "Änderung rückgängig machen",
                closing: "Falls Sie das nicht waren, wenden Sie sich sofort an das %APP_NAME%-Team.")
        case .emailRemoved:
            EmailText(
                subject: "Ihre Anmeldeadresse für %APP_NAME% wurde entfernt",
                lead:
                    "Die Adresse %EMAIL% wurde von Ihrem Konto entfernt. Sie können sich mit ihr nicht mehr anmelden.",
                securityAdvice:
                    "Falls Sie das nicht waren, folgen Sie diesem Link, um die Änderung rückgängig zu machen.",
                button: "Änderung rückgängig machen",
                closing: "Falls Sie das nicht waren, wenden Sie sich sofort an das %APP_NAME%-Team.")
        case .secondFactorAdded:
            EmailText(
                subject: "Ihr %APP_NAME%-Konto hat jetzt eine Bestätigung in zwei Schritten",
                lead: "Ihr Konto %EMAIL% verlangt jetzt einen zweiten Faktor: %SECOND_FACTOR%.",
                securityAdvice: "Falls Sie das nicht waren, folgen Sie diesem Link, um ihn zu entfernen.",
                button: "Zweiten Faktor entfernen",
                closing: "Falls Sie das nicht waren, setzen Sie sofort Ihr Passwort zurück.")
        case .secondFactorRemoved:
            EmailText(
                subject: "Ein zweiter Faktor Ihres %APP_NAME%-Kontos wurde entfernt",
                lead: "Ihr Konto %EMAIL% verlangt diesen zweiten Faktor nicht mehr: %SECOND_FACTOR%.",
                securityAdvice: "Falls Sie das nicht waren, folgen Sie diesem Link, um Ihr Konto zu sichern.",
                button: "Konto sichern",
                closing: "Falls Sie das nicht waren, setzen Sie sofort Ihr Passwort zurück.")
        case .passwordChanged:
            EmailText(
                subject: "Ihr %APP_NAME%-Passwort wurde geändert",
                lead: "Das Passwort Ihres Kontos %EMAIL% wurde geändert.",
                securityAdvice: "Falls Sie das nicht waren, folgen Sie diesem Link, um ein neues festzulegen.",
                button: "Passwort zurücksetzen",
                closing: "Falls Sie das nicht waren, setzen Sie sofort Ihr Passwort zurück.")
        case .recoveryCodeUsed:
            EmailText(
                subject: "Ein Wiederherstellungscode Ihres %APP_NAME%-Kontos wurde verwendet",
                lead:
                    "Bei Ihrem Konto %EMAIL% wurde statt des zweiten Faktors ein Wiederherstellungscode verwendet. Der Code gilt nicht mehr.",
                securityAdvice: "Falls Sie das nicht waren, folgen Sie diesem Link, um Ihr Konto zu sichern.",
                button: "Konto sichern",
                closing: "Falls Sie das nicht waren, setzen Sie sofort Ihr Passwort zurück.")
        case .passkeyAdded:
            EmailText(
                subject: "Ihrem %APP_NAME%-Konto wurde ein Passkey hinzugefügt",
                lead:
                    "Ihrem Konto %EMAIL% wurde ein Passkey hinzugefügt. Mit ihm können Sie sich ohne Passwort anmelden. Name des Passkeys: %PASSKEY%",
                securityAdvice: "Falls Sie das nicht waren, folgen Sie diesem Link, um ihn zu entfernen.",
                button: "Passkey entfernen",
                closing: "Falls Sie das nicht waren, wenden Sie sich sofort an das %APP_NAME%-Team.")
        case .passkeyRemoved:
            EmailText(
                subject: "Ein Passkey Ihres %APP_NAME%-Kontos wurde entfernt",
                lead:
                    "Ein Passkey wurde aus Ihrem Konto %EMAIL% entfernt. Sie können sich mit ihm nicht mehr anmelden. Name des Passkeys: %PASSKEY%",
                securityAdvice: "Falls Sie das nicht waren, folgen Sie diesem Link, um Ihr Konto zu sichern.",
                button: "Konto sichern",
                closing: "Falls Sie das nicht waren, wenden Sie sich sofort an das %APP_NAME%-Team.")
        case .providerLinked:
            EmailText(
                subject: "Ihrem %APP_NAME%-Konto wurde ein Identitätsanbieter hinzugefügt",
                lead:
                    "Mit Ihrem Konto %EMAIL% wurde ein Identitätsanbieter verknüpft. Mit dem Konto dort können Sie sich anmelden. Anbieter: %PROVIDER%",
                securityAdvice: "Falls Sie das nicht waren, folgen Sie diesem Link, um Ihr Konto zu sichern.",
                button: "Konto sichern",
                closing: "Falls Sie das nicht waren, wenden Sie sich sofort an das %APP_NAME%-Team.")
        case .providerRefused:
            EmailText(
                subject: "Eine Anmeldung bei Ihrem %APP_NAME%-Konto wurde abgelehnt",
                lead:
                    "Jemand hat sich bei einem Identitätsanbieter mit Ihrer Adresse %EMAIL% angemeldet, aber nicht als die Person, die dort mit Ihrem Konto verknüpft ist. Der Zugang zu Ihrem Konto wurde abgelehnt. Anbieter: %PROVIDER%",
                securityAdvice:
                    "Falls Sie das waren, folgen Sie diesem Link, melden Sie sich auf anderem Weg an und verknüpfen Sie den Anbieter neu.",
                button: "Anwendung öffnen",
                closing:
                    "Falls Sie das waren, zum Beispiel mit einem neuen Konto beim Anbieter, melden Sie sich auf anderem Weg an und verknüpfen Sie den Anbieter neu. Falls nicht, gehört Ihre Adresse vielleicht jetzt jemand anderem."
            )
        case .newSignIn:
            EmailText(
                subject: "Neue Anmeldung bei Ihrem %APP_NAME%-Konto",
                lead:
                    "Bei Ihrem Konto %EMAIL% hat sich jemand mit einem neuen Gerät aus einem neuen Netz angemeldet. Zeit: %TIME%. Gerät: %DEVICE%. Netz: %NETWORK%. Falls Sie das waren, müssen Sie nichts tun.",
                securityAdvice:
                    "Falls Sie das nicht waren, folgen Sie diesem Link, um ein neues Passwort festzulegen. Alle Sitzungen des Kontos enden dann.",
                button: "Passwort zurücksetzen",
                closing:
                    "Falls Sie das nicht waren, beenden Sie die Sitzung in Ihrem Konto und wenden Sie sich sofort an das %APP_NAME%-Team."
            )
        case .deletionScheduled:
            EmailText(
                subject: "Ihr %APP_NAME%-Konto wird gelöscht",
                lead:
                    "Das Konto %EMAIL% wurde auf seiner Kontoseite gelöscht, und alle seine Sitzungen sind beendet. Endgültig entfernt wird es zu dieser Zeit: %TIME%. Bis dahin können Sie es wiederherstellen, indem Sie sich anmelden.",
                securityAdvice:
                    "Falls Sie das Konto behalten möchten oder das nicht waren, folgen Sie diesem Link und melden Sie sich an.",
                button: "Konto wiederherstellen",
                closing: "Falls Sie das nicht waren, wenden Sie sich sofort an das %APP_NAME%-Team.")
        }
    }
}
