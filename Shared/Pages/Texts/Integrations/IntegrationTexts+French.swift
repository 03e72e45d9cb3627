extension PageTexts.Integrations {
    static let french = PageTexts.Integrations(
        title: "Intégrations",
        body:
            "Ce que d’autres programmes utilisent : webhooks, applications, clés de serveurs et clés de notifications push.",
        shownOnce: "Copiez ceci maintenant : ce ne sera plus affiché.",
        back: "Retour aux intégrations",
        webhooks: "Webhooks d’événements",
        webhooksBody: "Des requêtes signées informent votre serveur de ce qui arrive aux comptes.",
        addWebhook: "Ajouter un webhook",
        webhookURL: "URL de votre serveur",
        eventTypes: "Types d’événements",
        eventTypesHint: "Un par ligne, par exemple account.created. Vide : tous.",
        everyEvent: "tous les événements",
        working: "fonctionne",
        failing: "ne répond pas correctement",
        gone: "a répondu qu’il n’existe plus",
        state: "État",
        waiting: "Événements en attente",
        dropped: "Événements supprimés parce qu’il y en avait trop",
        deliveries: "Derniers événements",
        noDeliveries: "Aucun événement pour l’instant. Envoyez un test pour voir si votre serveur répond.",
        pending: "en attente",
        delivered: "remis",
        failed: "échoué",
        attempts: "Tentatives",
        problem: "Cause",
        sendTest: "Envoyer un test",
        replay: "Renvoyer",
        turnOff: "Désactiver",
        turnOn: "Activer",
        rotateSecret: .init(
            title: "Nouveau secret",
            body:
                "Votre serveur a besoin du nouveau secret pour accepter les événements. L’ancien signe encore pendant un jour."
        ),
        removeWebhook: .init(
            title: "Supprimer ce webhook",
            body:
                "Ses événements en attente sont supprimés, et votre serveur n’en reçoit plus. C’est irréversible."
        ),
        applications: "Applications inscrites",
        applicationsBody: "Elles reçoivent leurs utilisateurs des pages de connexion.",
        addApplication: "Ajouter une application",
        applicationName: "Nom que voient les utilisateurs",
        kind: "Où elle s’exécute",
        webKind: "page web",
        toolKind: "ligne de commande ou bureau",
        redirects: "Adresses auxquelles les utilisateurs peuvent revenir",
        redirectsHint: "Une par ligne.",
        clientID: "ID client",
        removeApplication: .init(
            title: "Supprimer cette application",
            body:
                "Elle ne peut plus connecter personne. C’est irréversible."
        ),
        clientConfiguration: "Clé d’API et code pour les applications",
        clientConfigurationBody: "Ce n’est pas un secret : chaque copie d’une application le contient.",
        apiKey: "Clé d’API",
        show: "Afficher",
        serviceAccounts: "Comptes de service",
        serviceAccountsBody: "Avec une telle clé, un serveur administre ce projet.",
        addServiceAccount: "Créer une clé",
        serviceAccountName: "Nom du compte",
        serviceAccountNameHint: "Lettres minuscules, chiffres et tirets. Un compte existant reçoit une clé de plus.",
        keyFile: "Fichier de clé",
        removeServiceAccount: .init(
            title: "Révoquer cette clé",
            body:
                "Qui la possède ne peut plus rien en faire, et ses jetons d’accès prennent fin aussitôt. C’est irréversible."
        ),
        pushKeys: "Clés de notifications push vers les appareils Apple",
        pushKeysBody: "Les applications qui n’en ont pas utilisent la clé de l’installation.",
        addPushKey: "Ajouter une clé push",
        bundleID: "ID de bundle",
        keyID: "ID de clé",
        teamID: "ID d’équipe",
        environment: "Environnement",
        everyEnvironment: "bac à sable et production",
        privateKey: "Clé privée",
        privateKeyHint: "Le contenu du fichier AuthKey_….p8 d’Apple. Il est scellé et n’est plus affiché.",
        removePushKey: .init(
            title: "Supprimer cette clé",
            body:
                "Elle n’envoie plus de notifications. L’application utilise alors une autre clé ou la page de vérification. C’est irréversible."
        ),
        functions: "Fonctions bloquantes",
        functionsBody: "Elles décident d’une inscription ou d’une connexion avant qu’elle n’ait lieu.",
        beforeCreate: "Fonction avant un nouveau compte",
        beforeSignIn: "Fonction avant une connexion",
        functionHint: "Une URL https, qui a sept secondes pour répondre. Vide : aucune.",
        sendIDToken: "Envoyer le jeton d’identité du fournisseur",
        sendAccessToken: "Envoyer le jeton d’accès du fournisseur",
        sendRefreshToken: "Envoyer le jeton d’actualisation du fournisseur",
        none: "Aucun pour l’instant.")
}
