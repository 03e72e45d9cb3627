extension PageTexts.Phone {
    static let french = PageTexts.Phone(
        emailOrNumber: "Adresse e-mail ou numéro de téléphone",
        invalidEmailOrNumber:
            "Saisissez une adresse comme name@example.com, ou un numéro avec l’indicatif du pays, comme +33 6 12 34 56 78.",
        useNumber: "Utiliser un numéro de téléphone",
        numberHint: "Avec l’indicatif du pays, comme +33 6 12 34 56 78. Nous y envoyons un code par SMS.",
        invalidNumber: "Saisissez un numéro avec l’indicatif du pays, comme +33 6 12 34 56 78.",
        sendCode: "Envoyer un code",
        cannotSend: "Aucun SMS ne peut être envoyé à ce numéro. Utilisez un autre numéro ou un autre moyen.",
        numberTaken:
            "Ce numéro appartient à un autre compte. Connectez-vous d’abord à ce compte et retirez-y le numéro.",
        oneRole:
            "Un téléphone ne peut pas être à la fois le moyen de connexion et la deuxième étape. Retirez d’abord l’un des deux.",
        addNumber: "Ajouter un numéro de téléphone",
        changeNumber: "Modifier le numéro de téléphone",
        numberBody: "Vous pourrez ensuite vous connecter avec un code que nous envoyons à ce numéro.",
        removeNumber: "Retirer le numéro de téléphone",
        removeNumberBody: "Vous ne pourrez plus vous connecter avec un code envoyé à ce numéro.",
        addMessages: "Ajouter les SMS",
        addMessagesBody:
            "Nous envoyons un code à votre téléphone lorsque vous vous connectez. Vous serez déconnecté de tous les autres appareils.",
        phoneName: "Nom du téléphone (facultatif)",
        alreadyAdded: "Ce numéro est déjà l’une de vos deuxièmes étapes.",
        tooManyFactors: "Votre compte a déjà autant de deuxièmes étapes que possible. Retirez-en une d’abord.",
        noSecondStep:
            "La manière dont vous vous êtes connecté n’a pas de deuxième étape. Connectez-vous d’abord avec votre mot de passe ou autrement.",
        factorName: "Nom de la deuxième étape",
        invalidName: "Saisissez un nom de 128 caractères au plus.")
}
