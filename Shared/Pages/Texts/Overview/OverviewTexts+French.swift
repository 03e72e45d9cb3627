extension PageTexts.Overview {
    static let french = PageTexts.Overview(
        span: "Période",
        activity: "Activité",
        lastHour: "Dernière heure",
        lastDay: "Dernières 24 heures",
        lastMonth: "31 derniers jours",
        signIns: "Connexions par méthode",
        signUps: "Nouveaux comptes",
        secondFactors: "Seconds facteurs",
        smsCost: "Coût des SMS",
        messages: "Messages envoyés",
        requests: "Requêtes",
        slowest: "1 % des requêtes les plus lentes",
        passkey: "Clé d’accès",
        password: "Mot de passe",
        provider: "Fournisseur d’identité",
        phone: "Numéro de téléphone",
        email: "Lien ou code par e-mail",
        other: "Autres moyens",
        app: "Application d’authentification",
        sms: "Code par SMS",
        recoveryCode: "Code de récupération",
        rememberedDevice: "Appareil mémorisé",
        refused: "Refusés",
        failed: "Échoués",
        answered: "Traitées",
        emailsDelivered: "E-mails remis",
        emailsFailed: "E-mails échoués",
        smsDelivered: "SMS remis",
        smsFailed: "SMS échoués",
        smsRefused: "SMS refusés par une limite",
        readAsTable: "Lire sous forme de tableau",
        nothing: "Rien n’a été compté pendant cette période. Ce que font les utilisateurs apparaît ici en une minute.",
        noSMS:
            "Aucun SMS n’a été envoyé. Les paramètres d’un projet activent les numéros de téléphone et les SMS comme second facteur.",
        signInsToday: "Connexions aujourd’hui",
        signUpsToday: "Nouveaux comptes aujourd’hui",
        refusedToday: "Connexions refusées aujourd’hui",
        smsYesterday: "SMS hier",
        currency: "Les montants sont dans la devise de vos prix (LATCHKEY_SMS_PRICES). Les jours sont ceux d’UTC.",
        costsOfToday: "SMS aujourd’hui par projet",
        cost: "Coût",
        nothingToDo:
            "Rien ne demande d’attention : tous les services répondent, les messages arrivent et aucun budget n’est presque épuisé.",
        numbersMissing:
            "Certains chiffres n’ont pas pu être lus et manquent sur cette page. Ils ne sont pas nuls. Rechargez la page.",
        summary: { "\($0) au total, le maximum à \($1) : \($2)." },
        summaryOfDays: { "\($0) au total, le maximum le \($1) : \($2)." },
        today: { "aujourd’hui \($0)" },
        inMonth: { "31 jours \($0)" },
        spentOfDay: {
            "Les SMS de \($0) ont coûté \($1) sur \($2) aujourd’hui. Quand il ne reste rien, aucun n’est envoyé avant demain (UTC)."
        },
        spentOfHour: {
            "Les SMS de \($0) ont coûté \($1) sur \($2) pendant cette heure. Quand il ne reste rien, aucun n’est envoyé avant la suivante."
        },
        emailsFailing: {
            "E-mails échoués pendant la dernière heure : \($0) sur \($1). Le journal du notifier donne les raisons (delivery.failed)."
        },
        smsFailing: {
            "SMS échoués pendant la dernière heure : \($0) sur \($1). Le journal du notifier donne les raisons (delivery.failed)."
        },
        pushesFailing: {
            "Messages push échoués pendant la dernière heure : \($0) sur \($1). Le journal du notifier donne les raisons (delivery.failed)."
        },
        requestsFailing: {
            "Requêtes échouées pendant la dernière heure : \($0) sur \($1). Elles sont dans le journal du gateway (request.completed, statut 500 et plus)."
        },
        exampleSetting: {
            "\($0) ressemble à un exemple. Mettez votre propre valeur avant que des utilisateurs en dépendent."
        },
        certificateEnds: {
            "Le certificat qui signe les requêtes à \($0) expire le \($1). Donnez d’abord le suivant au fournisseur."
        },
        atMost: { "au plus \($0) ms" },
        moreThan: { "plus de \($0) ms" })
}
