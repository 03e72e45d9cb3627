internal import Contracts
internal import Vocabulary

extension EmailLanguage {
    static let german = EmailLanguage(
        language: .german,
        greeting: "Hallo %DISPLAY_NAME%,",
        genericGreeting: "Hallo,",
        linkHint: "Falls die Schaltfläche nicht funktioniert, kopiere diese Adresse in deinen Browser:",
        farewell: "Dein %APP_NAME%-Team",
        genericFactorName: "ein zweiter Faktor",
        hiddenPasskeyName: "wird nicht angezeigt"
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "E-Mail-Adresse für %APP_NAME% bestätigen",
                lead: "Folge diesem Link, um deine E-Mail-Adresse %EMAIL% zu bestätigen.",
                button: "E-Mail-Adresse bestätigen",
                closing: "Falls du das nicht angefordert hast, kannst du diese E-Mail ignorieren.")
        case .resetPassword:
            EmailText(
                subject: "Passwort für %APP_NAME% zurücksetzen",
                lead: "Folge diesem Link, um das %APP_NAME%-Passwort deines Kontos %EMAIL% zurückzusetzen.",
                button: "Passwort zurücksetzen",
                closing: "Falls du das nicht angefordert hast, kannst du diese E-Mail ignorieren.")
        case .emailSignIn:
            EmailText(
                subject: "Bei %APP_NAME% anmelden",
                lead: "Jemand möchte sich mit der Adresse %EMAIL% bei %APP_NAME% anmelden. Folge diesem Link, um dich "
                    + "anzumelden.",
                button: "Anmelden",
                closing:
                    "Wer den Link hat, kann sich als du anmelden: Leite diese E-Mail nicht weiter. Falls du sie nicht "
                    + "angefordert hast, kannst du sie ignorieren.")
        case .verifyAndChangeEmail:
            EmailText(
                subject: "Neue E-Mail-Adresse für %APP_NAME% bestätigen",
                lead: "Folge diesem Link, um dich künftig mit %NEW_EMAIL% anzumelden.",
                button: "Neue Adresse bestätigen",
                closing: "Falls du deine Adresse nicht ändern wolltest, kannst du diese E-Mail ignorieren.")
        case .emailChanged:
            EmailText(
                subject: "Deine Anmeldeadresse für %APP_NAME% wurde geändert",
                lead: "Die Adresse, mit der du dich anmeldest, wurde in %NEW_EMAIL% geändert.",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um die Änderung rückgängig zu machen.",
                button: "Änderung rückgängig machen",
                closing: "Falls du das nicht warst, wende dich sofort an das %APP_NAME%-Team.")
        case .emailRemoved:
            EmailText(
                subject: "Deine Anmeldeadresse für %APP_NAME% wurde entfernt",
                lead:
                    "Die Adresse %EMAIL% wurde von deinem Konto entfernt. Du kannst dich mit ihr nicht mehr anmelden.",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um die Änderung rückgängig zu machen.",
                button: "Änderung rückgängig machen",
                closing: "Falls du das nicht warst, wende dich sofort an das %APP_NAME%-Team.")
        case .secondFactorAdded:
            EmailText(
                subject: "Dein %APP_NAME%-Konto hat jetzt eine Bestätigung in zwei Schritten",
                lead: "Dein Konto %EMAIL% verlangt jetzt einen zweiten Faktor: %SECOND_FACTOR%.",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um ihn zu entfernen.",
                button: "Zweiten Faktor entfernen",
                closing: "Falls du das nicht warst, setze sofort dein Passwort zurück.")
        case .secondFactorRemoved:
            EmailText(
                subject: "Ein zweiter Faktor deines %APP_NAME%-Kontos wurde entfernt",
                lead: "Dein Konto %EMAIL% verlangt diesen zweiten Faktor nicht mehr: %SECOND_FACTOR%.",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um dein Konto zu sichern.",
                button: "Konto sichern",
                closing: "Falls du das nicht warst, setze sofort dein Passwort zurück.")
        case .passwordChanged:
            EmailText(
                subject: "Dein %APP_NAME%-Passwort wurde geändert",
                lead: "Das Passwort deines Kontos %EMAIL% wurde geändert.",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um ein neues festzulegen.",
                button: "Passwort zurücksetzen",
                closing: "Falls du das nicht warst, setze sofort dein Passwort zurück.")
        case .recoveryCodeUsed:
            EmailText(
                subject: "Ein Wiederherstellungscode deines %APP_NAME%-Kontos wurde verwendet",
                lead:
                    "Bei deinem Konto %EMAIL% wurde statt des zweiten Faktors ein Wiederherstellungscode verwendet. Der Code gilt nicht mehr.",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um dein Konto zu sichern.",
                button: "Konto sichern",
                closing: "Falls du das nicht warst, setze sofort dein Passwort zurück.")
        case .passkeyAdded:
            EmailText(
                subject: "Deinem %APP_NAME%-Konto wurde ein Passkey hinzugefügt",
                lead:
                    "Deinem Konto %EMAIL% wurde ein Passkey hinzugefügt. Mit ihm kannst du dich ohne Passwort anmelden. Name des Passkeys: %PASSKEY%",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um ihn zu entfernen.",
                button: "Passkey entfernen",
                closing: "Falls du das nicht warst, wende dich sofort an das %APP_NAME%-Team.")
        case .passkeyRemoved:
            EmailText(
                subject: "Ein Passkey deines %APP_NAME%-Kontos wurde entfernt",
                lead:
                    "Ein Passkey wurde aus deinem Konto %EMAIL% entfernt. Du kannst dich mit ihm nicht mehr anmelden. Name des Passkeys: %PASSKEY%",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um dein Konto zu sichern.",
                button: "Konto sichern",
                closing: "Falls du das nicht warst, wende dich sofort an das %APP_NAME%-Team.")
        case .providerLinked:
            EmailText(
                subject: "Deinem %APP_NAME%-Konto wurde ein Identitätsanbieter hinzugefügt",
                lead:
                    "Mit deinem Konto %EMAIL% wurde ein Identitätsanbieter verknüpft. Mit dem Konto dort kannst du dich anmelden. Anbieter: %PROVIDER%",
                securityAdvice: "Falls du das nicht warst, folge diesem Link, um dein Konto zu sichern.",
                button: "Konto sichern",
                closing: "Falls du das nicht warst, wende dich sofort an das %APP_NAME%-Team.")
        }
    }
}
