extension PageTexts {
    static let french = PageTexts(
        resetPassword: .init(
            title: "Choisissez un nouveau mot de passe", body: "Pour le compte associé à cette adresse :",
            button: "Enregistrer le mot de passe",
            done: .init(
                title: "Votre mot de passe a été modifié",
                body: "Vous pouvez maintenant vous connecter avec lui. Toutes vos autres sessions ont été fermées.")),
        newPassword: "Nouveau mot de passe", passwordRequirements: "Le mot de passe doit contenir :",
        atLeast: { "au moins \($0) caractères" }, atMost: { "au plus \($0) caractères" },
        lowercase: "une lettre minuscule", uppercase: "une lettre majuscule", numeric: "un chiffre",
        nonAlphanumeric: "un caractère spécial",
        guessablePassword: "Ce mot de passe est trop facile à deviner. Choisissez-en un autre.",
        verifyEmail: .init(
            title: "Confirmez votre adresse e-mail", body: "Cette adresse vous appartient :", button: "Confirmer",
            done: .init(
                title: "Votre adresse e-mail est confirmée", body: "Vous pouvez retourner à l’application.")),
        accountMethods: .init(
            list: "Actuellement, on peut se connecter au compte avec :",
            none: "Personne ne peut encore se connecter au compte.",
            password: "Mot de passe", emailLink: "Lien par e-mail", phoneNumber: "Numéro de téléphone"),
        notMe: .init(
            body:
                "Si vous n’avez pas créé ce compte, supprimez ces moyens de connexion. Toutes les personnes qui les utilisent seront déconnectées.",
            button: "Ce n’était pas moi",
            done: .init(
                title: "Les moyens de connexion ont été supprimés",
                body:
                    "Tout le monde a été déconnecté et l’adresse n’est pas confirmée. Si vous souhaitez utiliser le compte vous-même, choisissez un mot de passe."
            )),
        changeEmail: .init(
            title: "Modifiez votre adresse e-mail", body: "Vous vous connecterez désormais avec cette adresse :",
            button: "Modifier l’adresse",
            done: .init(
                title: "Votre adresse e-mail a été modifiée", body: "Reconnectez-vous avec la nouvelle adresse.")),
        changedAccount: "Le compte à l’origine de la demande a actuellement cette adresse :",
        notMyChange: .init(
            body: "Si ce n’est pas votre compte, le changement donnerait votre adresse au compte de quelqu’un d’autre.",
            button: "Ce n’était pas moi",
            done: .init(
                title: "L’adresse reste inchangée",
                body: "Votre adresse n’a pas été attribuée au compte. Vous n’avez rien d’autre à faire.")),
        recoverEmail: .init(
            title: "Récupérez votre adresse e-mail", body: "Votre compte retrouvera cette adresse :",
            button: "Annuler la modification",
            done: .init(
                title: "Votre adresse e-mail est rétablie",
                body: "Si vous n’êtes pas à l’origine du changement, quelqu’un connaît peut-être votre mot de passe."
                    + " Changez-le maintenant.")),
        changePassword: .init(
            title: "Changez votre mot de passe", body: "Nous enverrons un lien à cette adresse :",
            button: "M’envoyer un lien pour un nouveau mot de passe",
            done: .init(
                title: "Consultez votre messagerie", body: "Un lien pour un nouveau mot de passe est en route.")),
        removeSecondFactor: .init(
            title: "Supprimer une deuxième étape", body: "Cette deuxième étape de connexion sera supprimée :",
            button: "Supprimer",
            done: .init(
                title: "La deuxième étape a été supprimée",
                body: "Si vous ne l’avez pas ajoutée, quelqu’un connaît peut-être votre mot de passe."
                    + " Changez-le maintenant.")),
        removePasskey: .init(
            title: "Supprimer une clé d’accès", body: "Cette clé d’accès sera supprimée de votre compte :",
            button: "Supprimer",
            done: .init(
                title: "La clé d’accès a été supprimée",
                body:
                    "Si vous ne l’avez pas ajoutée, quelqu’un connaît peut-être votre mot de passe. Changez-le maintenant."
            )),
        accountPasskeys: .init(
            list: "Ces clés d’accès permettent de se connecter à votre compte :", unnamed: "Une clé d’accès",
            added: { "Ajoutée le \($0)" }, lastUsed: { "Dernière utilisation le \($0)" },
            stay:
                "Un nouveau mot de passe ne les supprime pas. Si vous n’en reconnaissez pas une, supprimez-la dans l’application.",
            removal: .init(
                body:
                    "Si quelqu’un d’autre a modifié l’adresse, cette personne a peut-être aussi ajouté une clé d’accès. Vous pourrez ajouter de nouveau les vôtres plus tard.",
                button: "Ce n’était pas moi : supprimer aussi ces clés d’accès",
                done: .init(
                    title: "Votre adresse e-mail est rétablie et les clés d’accès ont été supprimées",
                    body: "Quelqu’un connaît peut-être aussi votre mot de passe. Changez-le maintenant."))),
        recentProviders: .init(
            list:
                "Au cours des sept derniers jours, ces comptes d’autres fournisseurs ont été associés et permettent de se connecter :",
            linked: { "Associé le \($0)" },
            stay:
                "Un nouveau mot de passe ne les supprime pas. Si vous n’en reconnaissez pas un, supprimez-le dans l’application."
        ),
        authenticatorApp: "Application d’authentification",
        signIn: .init(title: "Connexion", body: "Encore un clic et vous serez connecté."),
        signInHasNoTarget: "Ouvrez ce lien sur l’appareil sur lequel vous souhaitez vous connecter.",
        continueLabel: "Continuer",
        appVerification: .init(
            title: "Un instant, s’il vous plaît",
            body:
                "Nous vérifions qu’aucun programme ne demande des messages. Cela prend quelques secondes,"
                + " puis vous revenez tout seul à l’application.",
            prompt: "Montrez que vous êtes une personne, puis vous revenez à l’application.",
            done: "C’est fait. Vous revenez à l’application.", goBack: "Revenir à l’application",
            failed: "La vérification n’a pas fonctionné.", tryAgain: "Réessayer",
            noScript:
                "Cette page a besoin de JavaScript. Activez-le dans votre navigateur et rouvrez la page"
                + " depuis l’application.",
            unknownApp: .init(
                title: "Cette application n’est pas connue ici",
                body: "Revenez à l’application et réessayez. Si cela n’aide pas, prévenez ceux qui la gèrent.")),
        providerSignIn: .init(
            returning: .init(title: "Un instant", body: "Vous retournez à l’application."),
            canceled: .init(
                title: "Vous n’êtes pas connecté",
                body: "Vous avez interrompu la connexion chez le fournisseur. Vous pouvez réessayer dans l’application."
            ),
            refused: .init(
                title: "Le fournisseur ne vous a pas connecté",
                body:
                    "Il a signalé une erreur, ou sa réponse n’était pas valable. Retournez à l’application et réessayez."
            ),
            unreachable: .init(
                title: "Le fournisseur est injoignable",
                body: "Réessayez dans quelques minutes, ou connectez-vous d’une autre manière."),
            notOffered: .init(
                title: "Ce moyen de connexion n’est pas disponible",
                body: "Retournez à l’application et choisissez-en un autre."),
            expired: .init(
                title: "Cette connexion est terminée",
                body:
                    "Elle a duré plus de dix minutes, ou a commencé dans un autre navigateur. Recommencez dans l’application."
            ),
            unknownApp: .init(
                title: "Cette application n’est pas configurée ici",
                body: "Ses responsables doivent y enregistrer son adresse."),
            noWindow: "La fenêtre de l’application est fermée. Fermez aussi celle-ci et recommencez dans l’application."
        ),
        passkeyPage: .init(
            title: "Clés d’accès",
            identifier: "Adresse e-mail ou numéro de téléphone",
            signIn: "Se connecter avec une clé d’accès",
            password: "Mot de passe",
            signInWithPassword: "Se connecter avec le mot de passe",
            signUpBody: "Pas encore de compte ? Ni adresse ni mot de passe ne sont nécessaires.",
            signUp: "Créer un compte avec une clé d’accès seule",
            signedInAs: "Vous êtes connecté en tant que :",
            list: "Vos clés d’accès",
            noPasskeys: "Le compte n’a aucune clé d’accès.",
            name: "Nom de la clé d’accès",
            rename: "Renommer",
            remove: "Supprimer",
            add: "Ajouter une clé d’accès",
            signOut: "Se déconnecter",
            noScript: "Cette page a besoin de JavaScript. Activez-le dans votre navigateur, puis rechargez la page.",
            removalQuestion:
                "Supprimer cette clé d’accès ? Vous ne pourrez plus vous connecter avec elle, mais seulement par les autres moyens de votre compte.",
            cancel: "Annuler",
            messages: .init(
                added: "La clé d’accès a été ajoutée.",
                renamed: "La clé d’accès a un nouveau nom.",
                removed: "La clé d’accès a été supprimée. Elle ne permet plus de se connecter.",
                canceled: "La demande a été annulée par vous ou par le navigateur. Réessayez.",
                exists: "Votre gestionnaire de mots de passe a déjà une clé d’accès pour ce compte.",
                unknown: "Plus aucun compte n’a cette clé d’accès. Choisissez-en une autre.",
                timedOut: "Cela a pris trop de temps. Réessayez.",
                secondFactor: "Ce compte exige une deuxième étape. Connectez-vous plutôt avec l’application.",
                invalidCredentials: "L’adresse e-mail ou le mot de passe est incorrect.",
                lastMethod: "C’est le seul moyen de vous connecter à votre compte. Ajoutez-en d’abord un autre.",
                failed: "Cela n’a pas fonctionné.",
                unsupported: "Ce navigateur ne prend pas en charge les clés d’accès.")),
        hostedSignIn: .init(
            title: "Connexion",
            signUpTitle: "Créer un compte",
            toContinue: { "pour continuer vers \($0)" },
            email: "Adresse e-mail",
            newHere: "Nouveau ici ?",
            createAccount: "Créer un compte",
            haveAccount: "Vous avez déjà un compte ?",
            enterPassword: "Saisissez votre mot de passe",
            showPassword: "Afficher le mot de passe",
            forgotten: "Mot de passe oublié ?",
            emailLink: "M’envoyer un lien par e-mail",
            emailCode: "M’envoyer un code par e-mail",
            otherAccount: "Utiliser un autre compte",
            or: "ou",
            continueWith: { "Continuer avec \($0)" },
            invalidEmail: "Saisissez une adresse comme nom@example.com.",
            missingPassword: "Saisissez votre mot de passe.",
            name: "Votre nom (facultatif)",
            emailHasAccount: "Cette adresse a déjà un compte. Connectez-vous plutôt.",
            otherMethod: "Cette adresse a déjà un compte. Connectez-vous comme d’habitude.",
            resetSent: "Si un compte a cette adresse, un lien pour un nouveau mot de passe est en route.",
            linkSent: "Un lien de connexion est en route. Ouvrez-le dans ce navigateur.",
            linkEmail: "L’adresse à laquelle le lien a été envoyé.",
            chooseFactor: "Confirmez que c’est bien vous",
            appCode: "Saisissez le code de votre application d’authentification",
            smsCode: "Saisissez le code reçu par SMS",
            smsSentTo: { "Nous l’avons envoyé au \($0)." },
            enterEmailCode: "Saisissez le code reçu par e-mail",
            emailSentTo: { "Nous l’avons envoyé à \($0)." },
            codeLabel: "Code à six chiffres",
            confirm: "Confirmer",
            wrongCode: "Ce n’est pas le bon code. Réessayez.",
            codeExpired: "Le code a expiré. Envoyez-en un nouveau.",
            sendAgain: "Envoyer un nouveau code",
            useApp: "Utiliser une application d’authentification",
            useSMS: { "Envoyer un SMS au \($0)" },
            useRecoveryCode: "Utiliser un code de récupération",
            enterRecoveryCode: "Saisissez un code de récupération",
            recoveryCode: "Code de récupération",
            recoveryCodeHint: "Chaque code ne sert qu’une fois.",
            verifyFirst: .init(
                title: "Confirmez d’abord votre adresse",
                body:
                    "Votre compte exige une seconde étape à la connexion. Vous pourrez la configurer dès que votre adresse sera confirmée."
            ),
            sendEmail: "Envoyer l’e-mail",
            verificationSent: "Un e-mail est en route. Ouvrez le lien qu’il contient, puis continuez ici.",
            secondStepNeeded: "Votre compte exige une seconde étape à la connexion.",
            openApp: "Ouvrir une application sur cet appareil",
            offerPasskey: .init(
                title: "Connectez-vous sans mot de passe la prochaine fois",
                body:
                    "Avec une clé d’accès, votre empreinte, votre visage ou le verrouillage de l’écran suffit."
            ),
            notNow: "Pas maintenant",
            startAgain: "Recommencer",
            signedIn: "Vous êtes connecté",
            continueAs: { "Continuer en tant que \($0)" },
            signOutEverywhere: "Se déconnecter de tous les appareils",
            signUpClosed:
                "Il n’est pas possible de créer un compte ici. Adressez-vous aux responsables de l’application.",
            signedOut: .init(title: "Vous êtes déconnecté", body: "Vous pouvez fermer cette page."),
            foreignForm: .init(
                title: "Cela ne vient pas d’ici",
                body:
                    "La page est restée ouverte trop longtemps, ou les cookies sont désactivés. Revenez en arrière et réessayez."
            )),
        foot: .init(help: "Aide", terms: "Conditions", privacy: "Confidentialité"),
        incompleteLink: .init(
            title: "Ce lien est incomplet",
            body: "Une partie de l’adresse manque. Copiez le lien entier du message dans votre navigateur."),
        unknownApplication: .init(
            title: "Ce lien appartient à une autre application",
            body: "Aucune application n’est enregistrée ici sous sa clé. Demandez un nouveau lien à l’expéditeur."),
        invalidLink: .init(
            title: "Ce lien ne fonctionne pas",
            body: "Il a déjà été utilisé, ou un lien plus récent a été envoyé. Demandez un nouveau lien."),
        expiredLink: .init(title: "Ce lien a expiré", body: "Demandez-en un nouveau."),
        accountDisabled: .init(
            title: "Ce compte est désactivé", body: "Adressez-vous aux responsables de l’application."),
        emailAlreadyInUse: .init(
            title: "Cette adresse est déjà prise", body: "Un autre compte utilise désormais cette adresse e-mail."),
        crossSiteForm: .init(
            title: "Cela ne venait pas d’ici", body: "Rouvrez le lien de votre e-mail et utilisez son bouton."),
        tooManyAttempts: .init(title: "Trop de tentatives", body: "Patientez un moment, puis réessayez."),
        unavailable: .init(
            title: "Cela n’a pas fonctionné", body: "L’erreur vient de nous. Réessayez dans un instant."))
}
