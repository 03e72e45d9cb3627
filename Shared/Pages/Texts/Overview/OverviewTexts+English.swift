extension PageTexts.Overview {
    static let english = PageTexts.Overview(
        span: "Time span",
        activity: "Activity",
        lastHour: "Last hour",
        lastDay: "Last 24 hours",
        lastMonth: "Last 31 days",
        signIns: "Sign-ins by method",
        signUps: "New accounts",
        secondFactors: "Second factors",
        smsCost: "Cost of text messages",
        messages: "Messages",
        requests: "Requests",
        slowest: "Slowest 1 % of requests",
        passkey: "Passkey",
        password: "Password",
        provider: "Identity provider",
        phone: "Phone number",
        email: "Link or code by e-mail",
        other: "Other ways",
        app: "Authenticator app",
        sms: "Text message",
        recoveryCode: "Recovery code",
        rememberedDevice: "Remembered device",
        refused: "Refused",
        failed: "Failed",
        answered: "Answered",
        emailsDelivered: "E-mails delivered",
        emailsFailed: "E-mails failed",
        smsDelivered: "Text messages delivered",
        smsFailed: "Text messages failed",
        smsRefused: "Text messages refused by a limit",
        readAsTable: "Read as a table",
        nothing: "Nothing was counted in this time. What users do appears here within a minute.",
        noSMS:
            "No text message was sent. The settings of a project turn on phone numbers, and text messages as second factor.",
        signInsToday: "Sign-ins today",
        signUpsToday: "New accounts today",
        refusedToday: "Sign-ins refused today",
        smsYesterday: "Text messages yesterday",
        currency: "Amounts are in the currency of your prices (LATCHKEY_SMS_PRICES). Days are those of UTC.",
        costsOfToday: "Text messages today by project",
        cost: "Cost",
        nothingToDo: "Nothing needs attention: every service replies, messages arrive, and no budget is near its end.",
        numbersMissing:
            "Some numbers could not be read and are missing on this page. They are not zero. Load the page again.",
        summary: { "\($0) in all, most at \($1): \($2)." },
        summaryOfDays: { "\($0) in all, most on \($1): \($2)." },
        today: { "today \($0)" },
        inMonth: { "31 days \($0)" },
        spentOfDay: {
            "Text messages of \($0) cost \($1) of \($2) today. When nothing is left, no more are sent until tomorrow (UTC)."
        },
        spentOfHour: {
            "Text messages of \($0) cost \($1) of \($2) in this hour. When nothing is left, no more are sent until the next one."
        },
        emailsFailing: {
            "E-mails failed in the last hour: \($0) of \($1). The log of the notifier has the reasons (delivery.failed)."
        },
        smsFailing: {
            "Text messages failed in the last hour: \($0) of \($1). The log of the notifier has the reasons (delivery.failed)."
        },
        pushesFailing: {
            "Push messages failed in the last hour: \($0) of \($1). The log of the notifier has the reasons (delivery.failed)."
        },
        requestsFailing: {
            "Requests failed in the last hour: \($0) of \($1). The log of the gateway has them (request.completed, status 500 and above)."
        },
        exampleSetting: { "\($0) looks like an example. Set it to your own value before users depend on it." },
        certificateEnds: {
            "The certificate that signs requests to \($0) ends on \($1). Give the provider the next one before."
        },
        atMost: { "at most \($0) ms" },
        moreThan: { "more than \($0) ms" })
}
