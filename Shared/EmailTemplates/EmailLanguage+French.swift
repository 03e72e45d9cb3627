import Contracts
import Vocabulary

extension EmailLanguage {
    static let french = EmailLanguage(
        language: .french,
        greeting: "Bonjour %DISPLAY_NAME%,",
        genericGreeting: "Bonjour,",
        linkHint: "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :",
        farewell: "L’équipe %APP_NAME%",
        support: "Une question ? %SUPPORT_CONTACT%",
        genericFactorName: "un second facteur",
        hiddenPasskeyName: "non affiché",
        unknownClient: "inconnu",
        methods: .init(
            password: "mot de passe", emailLink: "lien par e-mail", phoneNumber: "numéro de téléphone",
            passkey: "clé d’accès", none: "aucun",
            separator: ", ")
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "Validez votre adresse e-mail pour %APP_NAME%",
                lead: "Suivez ce lien pour valider votre adresse e-mail %EMAIL%.",
                button: "Valider l’adresse e-mail",
                closing: "Si vous n’avez pas demandé à valider cette adresse, ignorez cet e-mail.")
        case .resetPassword:
            EmailText(
                subject: "Réinitialisez votre mot de passe pour %APP_NAME%",
                lead: "Suivez ce lien pour réinitialiser le mot de passe %APP_NAME% de votre compte %EMAIL%.",
                button: "Réinitialiser le mot de passe",
                closing: "Si vous n’avez pas demandé à réinitialiser votre mot de passe, ignorez cet e-mail.")
        case .emailSignIn:
            EmailText(
                subject: "Connectez-vous à %APP_NAME%",
                lead:
                    "Nous avons reçu une demande de connexion à %APP_NAME% avec l’adresse %EMAIL%. Suivez ce lien pour "
                    + "vous connecter.",
                button: "Se connecter",
                closing:
                    "Toute personne disposant du lien peut se connecter à votre place : ne transférez pas cet e-mail. "
                    + "Si vous ne l’avez pas demandé, ignorez-le.")
        case .emailSignInCode:
            EmailText(
                subject: "Votre code de connexion à %APP_NAME%",
                lead:
                    "Nous avons reçu une demande de connexion à %APP_NAME% avec l’adresse %EMAIL%. Saisissez ce code là où vous l’avez demandé. Il est valable 10 minutes.",
                closing:
                    "Toute personne disposant du code peut se connecter à votre place : ne le donnez à personne, pas même à l’équipe %APP_NAME%. Si ce n’était pas vous, ignorez cet e-mail."
            )
        case .emailVerificationCode:
            EmailText(
                subject: "Votre code de validation pour %APP_NAME%",
                lead:
                    "Saisissez ce code là où vous l’avez demandé pour valider votre adresse e-mail %EMAIL%. Il est valable 10 minutes.",
                closing:
                    "Ne donnez le code à personne : il ajouterait votre adresse au compte de quelqu’un d’autre. Si ce n’était pas vous, ignorez cet e-mail."
            )
        case .verifyAndChangeEmail:
            EmailText(
                subject: "Validez votre nouvelle adresse e-mail pour %APP_NAME%",
                lead:
                    "Suivez ce lien pour vous connecter désormais avec %NEW_EMAIL%. Le compte à l’origine de la demande a actuellement l’adresse %ACCOUNT% et ces moyens de connexion : %SIGN_IN_METHODS%.",
                button: "Valider la nouvelle adresse",
                closing:
                    "Si ce n’est pas votre compte, suivez le lien et choisissez « Ce n’était pas moi ».")
        case .emailChanged:
            EmailText(
                subject: "Votre adresse de connexion à %APP_NAME% a été modifiée",
                lead: "L’adresse avec laquelle vous vous connectez a été remplacée par %NEW_EMAIL%.",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour annuler la modification.",
                button: "Annuler la modification",
                closing: "Si ce n’était pas vous, contactez immédiatement l’équipe %APP_NAME%.")
        case .emailRemoved:
            EmailText(
                subject: "Votre adresse de connexion à %APP_NAME% a été supprimée",
                lead: "L’adresse %EMAIL% a été retirée de votre compte. Vous ne pouvez plus vous connecter avec elle.",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour annuler la modification.",
                button: "Annuler la modification",
                closing: "Si ce n’était pas vous, contactez immédiatement l’équipe %APP_NAME%.")
        case .secondFactorAdded:
            EmailText(
                subject: "La validation en deux étapes a été ajoutée à votre compte %APP_NAME%",
                lead: "Votre compte %EMAIL% demande désormais un second facteur : %SECOND_FACTOR%.",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour le supprimer.",
                button: "Supprimer le second facteur",
                closing: "Si ce n’était pas vous, réinitialisez immédiatement votre mot de passe.")
        case .secondFactorRemoved:
            EmailText(
                subject: "Un second facteur a été supprimé de votre compte %APP_NAME%",
                lead: "Votre compte %EMAIL% ne demande plus ce second facteur : %SECOND_FACTOR%.",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour sécuriser votre compte.",
                button: "Sécuriser le compte",
                closing: "Si ce n’était pas vous, réinitialisez immédiatement votre mot de passe.")
        case .passwordChanged:
            EmailText(
                subject: "Votre mot de passe %APP_NAME% a été modifié",
                lead: "Le mot de passe de votre compte %EMAIL% a été modifié.",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour en définir un nouveau.",
                button: "Réinitialiser le mot de passe",
                closing: "Si ce n’était pas vous, réinitialisez immédiatement votre mot de passe.")
        case .recoveryCodeUsed:
            EmailText(
                subject: "Un code de secours de votre compte %APP_NAME% a été utilisé",
                lead:
                    "Une connexion à votre compte %EMAIL% a eu lieu avec un code de secours à la place du second facteur. Ce code n’est plus valable.",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour sécuriser votre compte.",
                button: "Sécuriser le compte",
                closing: "Si ce n’était pas vous, réinitialisez immédiatement votre mot de passe.")
        case .passkeyAdded:
            EmailText(
                subject: "Une clé d’accès a été ajoutée à votre compte %APP_NAME%",
                lead:
                    "Une clé d’accès a été ajoutée à votre compte %EMAIL%. Elle vous permet de vous connecter sans mot de passe. Nom de la clé d’accès : %PASSKEY%",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour la supprimer.",
                button: "Supprimer la clé d’accès",
                closing: "Si ce n’était pas vous, contactez immédiatement l’équipe %APP_NAME%.")
        case .passkeyRemoved:
            EmailText(
                subject: "Une clé d’accès a été supprimée de votre compte %APP_NAME%",
                lead:
                    "Une clé d’accès a été supprimée de votre compte %EMAIL%. Vous ne pouvez plus vous connecter avec elle. Nom de la clé d’accès : %PASSKEY%",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour sécuriser votre compte.",
                button: "Sécuriser le compte",
                closing: "Si ce n’était pas vous, contactez immédiatement l’équipe %APP_NAME%.")
        case .providerLinked:
            EmailText(
                subject: "Un fournisseur d’identité a été ajouté à votre compte %APP_NAME%",
                lead:
                    "Un fournisseur d’identité a été associé à votre compte %EMAIL%. Vous pouvez vous connecter avec votre compte chez lui. Fournisseur : %PROVIDER%",
                securityAdvice: "Si ce n’était pas vous, suivez ce lien pour sécuriser votre compte.",
                button: "Sécuriser le compte",
                closing: "Si ce n’était pas vous, contactez immédiatement l’équipe %APP_NAME%.")
        case .providerRefused:
            EmailText(
                subject: "Une connexion à votre compte %APP_NAME% a été refusée",
                lead:
                    "Quelqu’un s’est connecté chez un fournisseur d’identité avec votre adresse %EMAIL%, mais pas en tant que la personne qui y est associée à votre compte. L’accès à votre compte a été refusé. Fournisseur : %PROVIDER%",
                securityAdvice:
                    "Si c’était vous, suivez ce lien, connectez-vous d’une autre manière et associez de nouveau le fournisseur.",
                button: "Ouvrir l’application",
                closing:
                    "Si c’était vous, par exemple avec un nouveau compte chez le fournisseur, connectez-vous d’une autre manière et associez de nouveau le fournisseur. Sinon, votre adresse appartient peut-être maintenant à quelqu’un d’autre."
            )
        case .newSignIn:
            EmailText(
                subject: "Nouvelle connexion à votre compte %APP_NAME%",
                lead:
                    "Quelqu’un s’est connecté à votre compte %EMAIL% avec un nouvel appareil et depuis un nouveau réseau. Heure : %TIME%. Appareil : %DEVICE%. Réseau : %NETWORK%. Si c’était vous, vous n’avez rien à faire.",
                securityAdvice:
                    "Si ce n’était pas vous, suivez ce lien pour définir un nouveau mot de passe. Toutes les sessions du compte prendront alors fin.",
                button: "Réinitialiser le mot de passe",
                closing:
                    "Si ce n’était pas vous, mettez fin à la session dans votre compte et contactez immédiatement l’équipe %APP_NAME%."
            )
        case .deletionScheduled:
            EmailText(
                subject: "Votre compte %APP_NAME% va être supprimé",
                lead:
                    "Le compte %EMAIL% a été supprimé depuis sa page de compte, et toutes ses sessions ont pris fin. Il sera effacé définitivement à ce moment : %TIME%. D’ici là, vous pouvez le restaurer en vous connectant.",
                securityAdvice:
                    "Si vous voulez garder le compte, ou si ce n’était pas vous, suivez ce lien et connectez-vous.",
                button: "Restaurer le compte",
                closing: "Si ce n’était pas vous, contactez immédiatement l’équipe %APP_NAME%.")
        }
    }
}
