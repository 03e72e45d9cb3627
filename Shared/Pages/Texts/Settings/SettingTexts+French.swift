extension PageTexts.Settings {
    static let french = PageTexts.Settings(
        signIn: .init("Moyens de connexion", "Comment les utilisateurs se connectent, et qui peut avoir un compte."),
        factors: .init("Seconds facteurs", "Ce qu’une connexion demande après la première étape."),
        passkeys: .init("Règles des clés d’accès", "Le domaine des clés d’accès, et ce qu’elles doivent prouver."),
        passwords: .init("Règles des mots de passe", "Ce que les nouveaux mots de passe doivent avoir."),
        mails: .init("Courriels", "Langue, liens et avis des courriels."),
        branding: .init("Nom et apparence", "Comment les pages et courriels montrent l’application."),
        messages: .init("Messages SMS", "Pays, numéros de test et texte des codes."),
        hosts: .init("Domaines", "Où les liens et pages peuvent mener."),
        protection: .init(
            "Protection contre les abus", "Ce que des inconnus apprennent, et combien de comptes s’ajoutent."),
        passwordSignIn: .init("Connexion par mot de passe"),
        linkSignIn: .init(
            "Connexion par lien dans un e-mail", "Dans un projet, il faut aussi la connexion par mot de passe."),
        codeSignIn: .init("Connexion par code dans un e-mail"),
        phoneSignIn: .init("Connexion par numéro de téléphone"),
        anonymousSignIn: .init(
            "Utilisateurs anonymes", "Une application peut utiliser un compte avant la connexion de l’utilisateur."),
        selfSignUp: .init(
            "Les utilisateurs peuvent s’inscrire", "Désactivé : seuls les administrateurs ajoutent des comptes."),
        selfDeletion: .init("Les utilisateurs peuvent supprimer leur compte"),
        duplicateEmails: .init(
            "Plusieurs comptes avec une adresse",
            "Activé : une connexion par un fournisseur ne rejoint jamais un compte de même adresse."),
        tenants: .init("Le projet peut avoir des locataires"),
        tenantName: .init("Nom du locataire"),
        isClosed: .init("Personne ne peut se connecter", "Activé : les sessions ne continuent pas non plus."),
        appFactor: .init("Application d’authentification comme second facteur"),
        appSteps: .init(
            "Écart d’horloge des applications, en pas de 30 secondes",
            "0 à 10 de chaque côté. Plus il y en a, plus un code est valable longtemps."),
        smsFactor: .init("SMS comme second facteur"),
        rememberedDays: .init(
            "Jours pendant lesquels un appareil peut être mémorisé",
            "Un appareil mémorisé ne demande pas de second facteur. 0 à 90. 0 : aucun n’est mémorisé."),
        passkeyState: .init("Les utilisateurs peuvent ajouter et utiliser des clés d’accès"),
        relyingParty: .init(
            "Domaine des clés d’accès", "Avec un autre domaine, les clés des utilisateurs ne fonctionnent plus."),
        relyingPartyName: .init("Nom à côté d’une clé d’accès"),
        passkeyOrigins: .init(
            "Pages et applications qui peuvent utiliser les clés", "Une origine par ligne, comme https://example.com."),
        userVerification: .init(
            "Une clé doit vérifier son utilisateur",
            "Par code PIN, doigt ou visage. Désactivé : une clé sans cela est un seul facteur."),
        counterRegression: .init(
            "Refuser une clé dont le compteur recule",
            "Deux appareils ont peut-être la même clé. Désactivé : le journal le note."),
        attestation: .init("Demander le modèle de l’authentificateur"),
        requireTrusted: .init("Seulement les modèles avec une preuve fiable", "Il faut demander le modèle."),
        allowedModels: .init("Modèles permis", "Un AAGUID par ligne. Vide : tous."),
        deniedModels: .init("Modèles refusés"),
        appleApps: .init(
            "Applications Apple avec clés d’accès",
            "Un identifiant d’équipe et de bundle par ligne, comme TEAMID1234.com.example.app."),
        enrollPage: .init("Page où les utilisateurs ajoutent une clé"),
        managePage: .init("Page où les utilisateurs gèrent leurs clés"),
        offerInterval: .init(
            "Jours avant de proposer à nouveau une clé ignorée", "0 : les pages de connexion n’en proposent pas."),
        policyState: .init("Les nouveaux mots de passe doivent suivre ces règles"),
        forceUpgrade: .init(
            "Aussi à la prochaine connexion",
            "Activé : un utilisateur dont le mot de passe enfreint les règles doit le changer."),
        minimumLength: .init(
            "Nombre minimal de caractères d’un mot de passe",
            "Vide : la règle de l’installation, 15 caractères ou 8 avec un second facteur obligatoire."),
        maximumLength: .init("Nombre maximal de caractères d’un mot de passe"),
        needsLowercase: .init("Une minuscule est requise"),
        needsUppercase: .init("Une majuscule est requise"),
        needsDigit: .init("Un chiffre est requis"),
        needsSymbol: .init("Un autre caractère est requis, comme !"),
        defaultLocale: .init(
            "Langue quand celle de l’utilisateur est inconnue", "Une étiquette de langue comme de ou pt-BR."),
        signInNotices: .init("Signaler les connexions avec de nouveaux appareils"),
        callbackPage: .init("Page qu’ouvrent les liens des courriels", "Vide : la page de cette installation."),
        inheritsMails: .init("Les courriels ont les textes et l’expéditeur du projet"),
        applicationName: .init("Nom de l’application", "Vide : l’identifiant du projet."),
        senderName: .init("Expéditeur des courriels"),
        supportContact: .init("Où les utilisateurs trouvent de l’aide", "Une adresse e-mail ou https."),
        termsPage: .init("Conditions d’utilisation"),
        privacyPage: .init("Politique de confidentialité"),
        colorScheme: .init("Pages claires ou sombres"),
        lightBrand: .init(
            "Couleur de marque sur pages claires",
            "Du bouton, avec # et six chiffres. Une couleur que certains ne peuvent lire est refusée."),
        lightCanvas: .init("Fond des pages claires"),
        darkBrand: .init("Couleur de marque sur pages sombres"),
        darkCanvas: .init("Fond des pages sombres"),
        cornerRadius: .init("Rayon des coins, en pixels", "0 à 24."),
        allowedRegions: .init(
            "Seulement ces pays", "Deux majuscules par ligne, comme DE. Les numéros d’autres pays ne reçoivent rien."),
        deniedRegions: .init("Tous sauf ces pays", "À la place de la liste ci-dessus, pas en plus."),
        testNumbers: .init(
            "Numéros de test",
            "Un numéro et ses six chiffres par ligne, comme +15555550100 123456. Aucun message ne leur est envoyé."),
        deviceLocale: .init("Les messages ont la langue de l’appareil"),
        messageText: .init(
            "Texte du message avec un code",
            "Avec %LOGIN_CODE% et %APP_NAME%. Vide : un texte dans la langue de l’utilisateur."),
        domains: .init("Domaines autorisés", "Un nom d’hôte par ligne. Les liens et pages ne mènent qu’à ces hôtes."),
        emailPrivacy: .init(
            "Cacher quelles adresses ont un compte",
            "Désactivé : chacun peut essayer des adresses et voir lesquelles sont connues."),
        signUpQuota: .init("Comptes qu’un réseau peut ajouter pendant la durée ci-dessous"),
        quotaStart: .init("À partir de", "Une heure UTC comme 2026-01-31T12:00:00Z. Les trois vont ensemble."),
        quotaDuration: .init("Pendant", "En secondes, comme 3600s. Une semaine au plus."),
        optional: "les utilisateurs peuvent l’ajouter",
        mandatory: "chaque utilisateur en a besoin",
        light: "claires",
        dark: "sombres",
        both: "comme l’appareil",
        fromProject: "comme dans le projet",
        unset: "non défini",
        standard: { "Par défaut : \($0)" },
        tenantsOfProject: "Locataires",
        settingsOfTenant: { "Réglages du locataire \($0)" },
        settingsOfProject: "Réglages du projet")
}
