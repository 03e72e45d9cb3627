extension PageTexts.ConsoleUsers {
    static let french = Self(
        unverified: "Adresse non confirmée",
        withoutFactor: "Sans second facteur",
        ofProvider: "Avec un compte chez un fournisseur",
        createdSince: "Créés depuis un jour",
        moreFilters: "Fournisseur et jour",
        sortHint: "Pour la liste de tous les utilisateurs. Les recherches et les filtres ont leur propre ordre.",
        provider: "Identifiant du fournisseur",
        providerMissing: "Indiquez le fournisseur, par exemple google.com.",
        since: "Créés depuis le (UTC)",
        dayMalformed: "Écrivez le jour avec l’année, le mois et le jour : 2026-11-01.",
        chosen: "Choisir",
        choose: { "Choisir \($0)" },
        choosing:
            "Pour les utilisateurs que vous choisissez ou, si vous n’en choisissez aucun, pour tous ceux que cette liste trouve. La page suivante dit lesquels et ce qui en résulte.",
        disableAll: .init(
            title: "Désactiver ces comptes",
            body:
                "Les utilisateurs ne peuvent plus se connecter et les jetons sont refusés. Leurs sessions reprennent quand les comptes sont réactivés."
        ),
        enableAll: .init(
            title: "Activer ces comptes",
            body: "Les utilisateurs peuvent se reconnecter et les sessions antérieures reprennent."
        ),
        endSessionsOfAll: .init(
            title: "Fermer les sessions de ces utilisateurs",
            body: "Les utilisateurs sont déconnectés de tous leurs appareils et chaque jeton devient invalide."
        ),
        sendVerificationToAll: .init(
            title: "Envoyer les e-mails de confirmation",
            body:
                "Chaque utilisateur reçoit un e-mail avec un lien qui confirme l’adresse. Les limites d’envoi s’appliquent."
        ),
        deleteAll: .init(
            title: "Supprimer ces comptes",
            body: "Les comptes, leurs sessions, facteurs et clés d’accès sont supprimés. C’est irréversible."
        ),
        nothingToDo: "Il n’y a rien à faire : aucun utilisateur ne serait modifié.",
        countOfUsers: { $0 == 1 ? "\($0) utilisateur" : "\($0) utilisateurs" },
        skipped: {
            $0 == 1 ? "\($0) autre l’est déjà et reste tel quel." : "\($0) autres le sont déjà et restent tels quels."
        },
        atLeastUsers: { $0 == 1 ? "Au moins \($0) utilisateur" : "Au moins \($0) utilisateurs" },
        uncounted: "Plus d’utilisateurs correspondent qu’il n’en est compté ici. Ceci les parcourt tous.",
        cutOff:
            "Plus d’utilisateurs correspondent que la recherche d’un texte n’en donne. Ceci concerne ceux qui sont comptés ici : précisez pour atteindre les autres.",
        progress: { done, total in
            total.map { "\(done) traités sur \($0)" } ?? "\(done) traités"
        },
        lookAgain: "Cette page se met à jour toutes les deux secondes. Vous pouvez la quitter : le travail continue.",
        lookNow: "Actualiser",
        stop: "Arrêter",
        complete: "C’est terminé.",
        stopped: "Le travail a été arrêté. Ce qui est fait le reste. Recommencez pour le reste.",
        roleEnded:
            "Le travail s’est arrêté : votre session est fermée ou votre rôle ne le permet plus. Ce qui est fait le reste.",
        failed: "Le reste n’a pas été fait. Motif :",
        failures: { $0 == 1 ? "\($0) compte n’a pas été modifié :" : "\($0) comptes n’ont pas été modifiés :" },
        unknownWork: .init(
            title: "Ce travail est inconnu ici",
            body:
                "Il est terminé depuis longtemps, ou le processus a été redémarré. Le journal d’audit dit ce qui a été fait. Vous pouvez recommencer sans risque : ce qui est fait ne l’est pas deux fois."
        ),
        busy: .init(
            title: "Trop de travaux en cours",
            body: "Il n’est pas possible d’en lancer davantage. Attendez qu’un travail se termine, puis réessayez."
        ),
        importUsers: "Importer des utilisateurs",
        importBody:
            "Le fichier est d’abord vérifié et rien ne change. La page suivante dit ce que l’importation ferait.",
        file: "Fichier d’utilisateurs",
        fileHint:
            "Ce qu’écrit firebase auth:export (JSON ou CSV), ou les JSON Lines de latchkey users export ; le nom se termine par .json, .csv ou .jsonl. 1 Mo au plus. Pour un fichier plus grand ou scellé : latchkey users import.",
        fileMissing: "Choisissez un fichier qui n’est pas vide.",
        hashParameters: "Paramètres de hachage",
        hashParametersHint:
            "Tels que la console Firebase les montre, si le fichier contient ses empreintes de mots de passe. Sinon, laissez vide.",
        hashParametersMalformed: "Ces paramètres de hachage sont illisibles.",
        hashParametersMissing: "Le fichier contient des empreintes sans algorithme. Ajoutez les paramètres de hachage.",
        keepExisting: "Conserver les comptes existants",
        check: "Vérifier le fichier",
        existingAreKept: "Les comptes existants restent tels quels.",
        existingAreReplaced:
            "Les comptes existants sont remplacés et leurs utilisateurs déconnectés. C’est irréversible.",
        unreadableFrom: { "Le fichier est illisible à partir de l’enregistrement \($0). Ce qui précède est fait." },
        exportUsers: "Exporter les utilisateurs",
        exportBody:
            "Le fichier contient un utilisateur par ligne, en JSON, sans mots de passe. Les claims n’y figurent que pour les administrateurs.",
        exportProfiles: "Télécharger les utilisateurs",
        exportHashesBody:
            "Avec les empreintes et leurs clés, une autre installation peut vérifier les mots de passe. Quiconque possède le fichier peut essayer des mots de passe. Le téléchargement est inscrit au journal d’audit.",
        exportHashes: "Télécharger avec les empreintes",
        exportCutOff:
            "Si le fichier est incomplet, le navigateur signale un échec du téléchargement. Recommencez alors.",
        codesBlocked: { "Les codes de \($0) sont refusés jusqu’à \($1), après trop de codes faux." },
        codesBlockedForGood: {
            "Les codes de \($0) sont refusés définitivement, après trop de codes faux. Supprimez le facteur ; l’utilisateur peut l’ajouter à nouveau."
        },
        codesUnknown: "On ne sait pas si des codes faux bloquent la connexion : un service est absent.")
}
