extension PageTexts.Console {
    static let french = PageTexts.Console(
        title: "Console de Latchkey",
        overview: "Vue d’ensemble",
        users: "Utilisateurs",
        audit: "Journal d’audit",
        wholeAudit: "Journal d’audit complet",
        operators: "Opérateurs",
        yourSessions: "Vos sessions",
        installation: "Cette installation",
        requestID: "Pour l’assistance :",
        notFound: .init(
            title: "Introuvable",
            body: "Cela n’existe pas ici, ou plus."),
        forbidden: .init(
            title: "Non autorisé",
            body: "Votre rôle ne le permet pas. Un administrateur peut le modifier."),
        foreignForm: .init(
            title: "Ce formulaire a expiré",
            body: "Rien n’a été modifié. Rouvrez la page et recommencez."),
        refused: .init(
            title: "Refusé",
            body: "La modification a été refusée. Rien n’a été modifié."),
        done: "C’est fait.",
        saved: "La modification est enregistrée.",
        sent: "L’e-mail est en route.",
        never: "jamais",
        viewer: "lecteur",
        support: "assistance",
        administrator: "administrateur",
        lostAccess:
            "Mot de passe ou application perdus ? Une personne sur la machine exécute : latchkey operator reset",
        appNeeded:
            "La console demande une deuxième étape à chaque connexion. Ajoutez une application d’authentification.",
        passwordHint: "Au moins 12 caractères, et aucun mot de passe courant.",
        welcome: .init(
            title: "Bienvenue dans la console",
            body: "Choisissez un mot de passe. Connectez-vous ensuite et ajoutez une application d’authentification."),
        setPassword: "Définir le mot de passe",
        weakPassword: "Ce mot de passe est trop court ou trop courant. Choisissez-en un autre.",
        notYourself: "Vous ne pouvez pas modifier votre propre rôle. Un autre administrateur le peut.",
        noProject: "Aucun projet n’a cet identifiant.",
        hasApp: "Second facteur ajouté",
        noApp: "Pas encore connecté",
        lastSignIn: "Dernière connexion",
        endSessions: "Fermer les sessions",
        everyProject: "tous les projets",
        remove: "Retirer",
        operatorsBody:
            "Ces personnes peuvent utiliser cette console. Leurs actes figurent dans le journal avec leur adresse.",
        addOperator: "Ajouter un opérateur",
        projectOfRole: "Projet",
        projectOfRoleHint: "Vide : toute l’installation.",
        viewerBody: "Un lecteur lit les comptes, les réglages et le journal.",
        supportBody:
            "L’assistance désactive aussi des comptes, ferme des sessions, retire des seconds facteurs et envoie des e-mails.",
        administratorBody: "Un administrateur fait tout.",
        role: "Rôle",
        grantRole: "Donner ce rôle",
        linkNotice:
            "Donnez maintenant ce lien à l’opérateur : il est valable une fois, pendant une heure, et ne sera plus affiché. Qui l’a devient l’opérateur.",
        removeOperator: "Retirer cet opérateur ?",
        removeOperatorBody:
            "Le rôle prend fin aussitôt, avec toutes les sessions de la console. Ses actes restent dans le journal.",
        end: "Fermer",
        sessionsBody:
            "Une session prend fin 30 minutes après sa dernière utilisation et 12 heures après la connexion.",
        endAllSessions: "Fermer toutes mes sessions",
        disable: .init(
            title: "Désactiver le compte",
            body:
                "L’utilisateur ne peut plus se connecter et ses jetons sont refusés. Les sessions continuent à la réactivation."
        ),
        enable: .init(
            title: "Activer le compte",
            body: "L’utilisateur peut de nouveau se connecter et les sessions précédentes continuent."),
        cancelDeletion: .init(
            title: "Garder le compte",
            body:
                "Il n’est pas supprimé et l’utilisateur peut de nouveau se connecter. Les sessions terminées le restent."
        ),
        unlock: .init(
            title: "Oublier les mots de passe erronés",
            body: "L’utilisateur peut réessayer aussitôt. Qui a tenté les mauvais aussi."),
        endSessionsOfUser: .init(
            title: "Fermer toutes les sessions",
            body: "L’utilisateur est déconnecté de tous les appareils et tous les jetons sont annulés."),
        endSession: .init(
            title: "Fermer cette session",
            body: "L’appareil est déconnecté au plus tard à l’expiration de son jeton, dans l’heure."),
        removeFactor: .init(
            title: "Retirer ce second facteur",
            body:
                "Toutes les sessions se ferment et la prochaine connexion ne le demande plus. Vérifiez d’abord que le propriétaire le demande. C’est irréversible."
        ),
        removePasskey: .init(
            title: "Retirer cette clé d’accès",
            body: "Elle ne permet plus de se connecter. L’utilisateur peut en ajouter une autre. C’est irréversible."),
        sendReset: .init(
            title: "Envoyer l’e-mail de mot de passe",
            body: "L’utilisateur reçoit un lien pour choisir un nouveau mot de passe. L’ancien vaut jusque-là."),
        sendVerification: .init(
            title: "Envoyer l’e-mail de vérification",
            body: "L’utilisateur reçoit un lien qui confirme l’adresse."),
        deleteUser: .init(
            title: "Supprimer le compte",
            body:
                "Le compte, ses facteurs, clés d’accès et sessions sont supprimés. Le journal garde la trace. C’est irréversible."
        ),
        searchUsers: "Rechercher des utilisateurs",
        searchHint:
            "Le début d’une adresse, d’un numéro, d’un nom ou d’un identifiant, ou un fournisseur comme google.com.",
        filter: "Filtrer",
        sort: "Trier par",
        search: "Rechercher",
        nextPage: "Page suivante",
        noUsers: "Aucun utilisateur ne correspond. Les nouveaux apparaissent ici à l’inscription ou à l’import.",
        user: "Utilisateur",
        displayName: "Nom affiché",
        id: "Identifiant",
        created: "Créé",
        tenant: "Locataire",
        moreMatches: "D’autres utilisateurs correspondent. Précisez pour les voir.",
        everyUser: "tous les utilisateurs",
        disabledUsers: "comptes désactivés",
        usersWithFactor: "avec un second facteur",
        disabled: "désactivé",
        claims: "Revendications",
        profile: "Compte",
        canSignIn: "Rien n’empêche la connexion de cet utilisateur.",
        cannotSignIn: "Cet utilisateur ne peut pas se connecter :",
        mayNotSignIn: "Quelque chose peut gêner la connexion :",
        obstacleDisabled: "Le compte est désactivé.",
        obstacleDeletion: {
            "Le compte sera supprimé : \($0). D’ici là, l’utilisateur peut seulement le restaurer, sur les pages de connexion."
        },
        obstacleTenant: "Le locataire n’autorise aucune connexion.",
        obstacleNoMethod: "Le compte n’a aucun moyen de connexion.",
        obstacleNotPermitted: "Les réglages n’autorisent aucun des moyens du compte.",
        obstacleAttempts: { "Trop de mots de passe erronés : le prochain essai compte après \($0) UTC." },
        obstacleAddress: "Un second facteur est obligatoire et l’adresse doit d’abord être confirmée.",
        obstacleMethod: { "Les réglages n’autorisent pas : \($0)" },
        obstacleFactor: "Un second facteur est obligatoire : la prochaine connexion l’ajoute.",
        provider: "Fournisseur d’identité",
        methods: "Moyens de connexion",
        secondFactors: "Seconds facteurs",
        noFactors: "Le compte n’a pas de second facteur.",
        sessions: "Sessions ouvertes",
        noSessions: "L’utilisateur n’est connecté nulle part.",
        events: "Ce qui s’est passé",
        noRecords: "Le journal n’a pas de telles entrées.",
        actor: "Qui",
        action: "Quoi",
        time: "Quand (UTC)",
        outcome: "Résultat",
        address: "Adresse IP",
        verifyLog: "Vérifier le journal",
        verifyLogBody: "Chaque entrée est liée à la précédente. Le contrôle trouve les entrées modifiées ou retirées.",
        export: "Télécharger le journal",
        logVerified: { "Le journal est intact : \($0) entrées." },
        logPartlyVerified: { "\($0) entrées sont intactes. Continuez avec le reste." },
        attention: "Ce qui demande attention",
        serviceAway: { "Ne répond pas : \($0)" },
        componentAway: { "Ne fonctionne pas : \($0)" },
        projects: "Projets",
        latestChanges: "Derniers changements",
        settings: "Réglages",
        review: "Voir les changements",
        noChanges: "Rien n’est différent.",
        setting: "Réglage",
        before: "Maintenant",
        after: "Après",
        conflict: "D’autres ont modifié les réglages entre-temps. Regardez-les et recommencez.",
        changeHistory: "Qui a modifié les réglages",
        badLine: { "Cette ligne est illisible : \($0)" })
}
