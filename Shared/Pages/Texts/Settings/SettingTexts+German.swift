extension PageTexts.Settings {
    static let german = PageTexts.Settings(
        signIn: .init("Anmeldewege", "Wie Benutzer sich anmelden, und wer ein Konto haben kann."),
        factors: .init("Zweite Faktoren", "Was eine Anmeldung nach dem ersten Schritt verlangt."),
        passkeys: .init("Regeln für Passkeys", "Die Domain der Passkeys, und was sie beweisen müssen."),
        passwords: .init("Passwortregeln", "Was neue Passwörter haben müssen."),
        mails: .init("E-Mail-Versand", "Sprache, Links und Hinweise der E-Mails."),
        branding: .init("Name und Aussehen", "Wie Seiten und E-Mails die Anwendung zeigen."),
        messages: .init("Textnachrichten", "Länder, Testnummern und der Text der Codes."),
        hosts: .init("Domains der Anwendung", "Wohin Links und Seiten führen können."),
        protection: .init("Schutz", "Was Fremde erfahren, und wie viele Konten hinzukommen können."),
        passwordSignIn: .init("Anmeldung mit Passwort"),
        linkSignIn: .init(
            "Anmeldung mit Link per E-Mail", "In einem Projekt braucht es auch die Anmeldung mit Passwort."),
        codeSignIn: .init("Anmeldung mit Code per E-Mail"),
        phoneSignIn: .init("Anmeldung mit Telefonnummer"),
        anonymousSignIn: .init(
            "Anonyme Benutzer", "Eine Anwendung kann ein Konto verwenden, bevor der Benutzer sich anmeldet."),
        selfSignUp: .init("Benutzer dürfen sich registrieren", "Aus: Nur Administratoren fügen Konten hinzu."),
        selfDeletion: .init("Benutzer dürfen ihr Konto löschen"),
        duplicateEmails: .init(
            "Mehrere Konten mit einer Adresse",
            "An: Eine Anmeldung bei einem Anbieter führt nie zu einem Konto mit derselben Adresse."),
        tenants: .init("Das Projekt kann Mandanten haben"),
        tenantName: .init("Name des Mandanten"),
        isClosed: .init("Niemand kann sich anmelden", "An: Auch Sitzungen gehen nicht weiter."),
        appFactor: .init("Authenticator-App als zweiter Faktor"),
        appSteps: .init(
            "Abweichung der Uhr von Authenticator-Apps, in Schritten von 30 Sekunden",
            "0 bis 10 auf jeder Seite. Mit mehr gilt ein Code länger."),
        smsFactor: .init("Textnachricht als zweiter Faktor"),
        rememberedDays: .init(
            "Tage, für die ein Gerät gemerkt werden kann",
            "Ein gemerktes Gerät wird nicht nach einem zweiten Faktor gefragt. 0 bis 90. 0: Keines wird gemerkt."),
        passkeyState: .init("Benutzer können Passkeys hinzufügen und verwenden"),
        relyingParty: .init(
            "Domain der Passkeys", "Mit einer anderen Domain gelten die Passkeys der Benutzer nicht mehr."),
        relyingPartyName: .init("Name neben einem Passkey"),
        passkeyOrigins: .init(
            "Seiten und Anwendungen, die Passkeys verwenden können",
            "Ein Ursprung in jeder Zeile, zum Beispiel https://example.com."),
        userVerification: .init(
            "Ein Passkey muss seinen Benutzer prüfen",
            "Mit PIN, Finger oder Gesicht. Aus: Ein Passkey ohne Prüfung ist ein Faktor."),
        counterRegression: .init(
            "Passkeys ablehnen, deren Zähler zurückgeht",
            "Zwei Geräte haben vielleicht denselben Schlüssel. Aus: Es steht nur im Protokoll."),
        attestation: .init("Nach dem Modell des Authenticators fragen"),
        requireTrusted: .init("Nur Modelle mit vertrauenswürdigem Nachweis", "Braucht die Frage nach dem Modell."),
        allowedModels: .init("Erlaubte Modelle", "Eine AAGUID in jeder Zeile. Leer: alle."),
        deniedModels: .init("Abgelehnte Modelle"),
        appleApps: .init(
            "Apple-Anwendungen mit Passkeys",
            "Eine Team-ID und Bundle-ID in jeder Zeile, zum Beispiel TEAMID1234.com.example.app."),
        enrollPage: .init("Seite, auf der Benutzer einen Passkey hinzufügen"),
        managePage: .init("Seite, auf der Benutzer Passkeys verwalten"),
        offerInterval: .init(
            "Tage, bis ein übergangener Passkey wieder angeboten wird", "0: Die Anmeldeseiten bieten keinen an."),
        policyState: .init("Neue Passwörter müssen diese Regeln einhalten"),
        forceUpgrade: .init(
            "Auch bei der nächsten Anmeldung", "An: Wessen Passwort die Regeln verletzt, muss es ändern."),
        minimumLength: .init(
            "Kleinste Zahl von Zeichen eines Passworts",
            "Leer: die Regel der Installation, 15 Zeichen oder 8 mit Pflicht zum zweiten Faktor."),
        maximumLength: .init("Größte Zahl von Zeichen eines Passworts"),
        needsLowercase: .init("Ein Kleinbuchstabe ist nötig"),
        needsUppercase: .init("Ein Großbuchstabe ist nötig"),
        needsDigit: .init("Eine Ziffer ist nötig"),
        needsSymbol: .init("Ein anderes Zeichen ist nötig, zum Beispiel !"),
        defaultLocale: .init("Sprache, wenn die des Benutzers unbekannt ist", "Ein Sprachkürzel wie de oder pt-BR."),
        signInNotices: .init("Benutzern Anmeldungen mit neuen Geräten melden"),
        callbackPage: .init("Seite, die Links in E-Mails öffnen", "Leer: die Seite dieser Installation."),
        inheritsMails: .init("E-Mails haben Texte und Absender des Projekts"),
        applicationName: .init("Name der Anwendung", "Leer: die ID des Projekts."),
        senderName: .init("Absender von E-Mails"),
        supportContact: .init("Wo Benutzer Hilfe finden", "Eine E-Mail- oder https-Adresse."),
        termsPage: .init("Nutzungsbedingungen"),
        privacyPage: .init("Datenschutzerklärung"),
        colorScheme: .init("Helle oder dunkle Seiten"),
        lightBrand: .init(
            "Markenfarbe auf hellen Seiten",
            "Des Knopfs, als # und sechs Stellen. Eine Farbe, die manche nicht lesen können, wird abgelehnt."),
        lightCanvas: .init("Hintergrund heller Seiten"),
        darkBrand: .init("Markenfarbe auf dunklen Seiten"),
        darkCanvas: .init("Hintergrund dunkler Seiten"),
        cornerRadius: .init("Radius der Ecken, in Pixeln", "0 bis 24."),
        allowedRegions: .init(
            "Nur diese Länder",
            "Zwei Großbuchstaben in jeder Zeile, zum Beispiel DE. Nummern anderer Länder erhalten keine Nachricht."),
        deniedRegions: .init("Alle außer diesen Ländern", "Statt der Liste darüber, nicht daneben."),
        testNumbers: .init(
            "Testnummern",
            "Eine Nummer und ihre sechs Ziffern in jeder Zeile, zum Beispiel +15555550100 123456. An sie wird nichts gesendet."
        ),
        deviceLocale: .init("Nachrichten haben die Sprache des Geräts"),
        messageText: .init(
            "Text der Nachricht mit einem Code",
            "Mit %LOGIN_CODE% und %APP_NAME%. Leer: ein Text in der Sprache des Benutzers."),
        domains: .init("Erlaubte Domains", "Ein Hostname in jeder Zeile. Links und Seiten führen nur zu diesen Hosts."),
        emailPrivacy: .init(
            "Verbergen, welche Adressen ein Konto haben",
            "Aus: Jeder kann Adressen ausprobieren und sieht, welche bekannt sind."),
        signUpQuota: .init("Konten, die ein Netz in der Zeit darunter anlegen kann"),
        quotaStart: .init("Ab", "Eine Zeit in UTC wie 2026-01-31T12:00:00Z. Die drei gehören zusammen."),
        quotaDuration: .init("Dauer", "In Sekunden, zum Beispiel 3600s. Höchstens eine Woche."),
        optional: "Benutzer dürfen ihn hinzufügen",
        mandatory: "jeder Benutzer braucht ihn",
        light: "hell",
        dark: "dunkel",
        both: "wie das Gerät",
        fromProject: "wie im Projekt",
        unset: "nicht gesetzt",
        standard: { "Voreinstellung: \($0)" },
        tenantsOfProject: "Mandanten",
        settingsOfTenant: { "Einstellungen des Mandanten \($0)" },
        settingsOfProject: "Einstellungen des Projekts")
}
