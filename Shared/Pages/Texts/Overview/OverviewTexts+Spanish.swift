extension PageTexts.Overview {
    static let spanish = PageTexts.Overview(
        span: "Periodo",
        activity: "Actividad",
        lastHour: "Última hora",
        lastDay: "Últimas 24 horas",
        lastMonth: "Últimos 31 días",
        signIns: "Inicios de sesión por método",
        signUps: "Cuentas nuevas",
        secondFactors: "Segundos factores",
        smsCost: "Coste de los SMS",
        messages: "Mensajes",
        requests: "Solicitudes",
        slowest: "El 1 % más lento de las solicitudes",
        passkey: "Llave de acceso",
        password: "Contraseña",
        provider: "Proveedor de identidad",
        phone: "Número de teléfono",
        email: "Enlace o código por correo",
        other: "Otras formas",
        app: "Aplicación de autenticación",
        sms: "Mensaje SMS",
        recoveryCode: "Código de recuperación",
        rememberedDevice: "Dispositivo recordado",
        refused: "Rechazados",
        failed: "Fallidos",
        answered: "Respondidas",
        emailsDelivered: "Correos entregados",
        emailsFailed: "Correos fallidos",
        smsDelivered: "SMS entregados",
        smsFailed: "SMS fallidos",
        smsRefused: "SMS rechazados por un límite",
        readAsTable: "Leer como tabla",
        nothing: "No se contó nada en este periodo. Lo que hacen los usuarios aparece aquí en un minuto.",
        noSMS:
            "No se envió ningún SMS. La configuración de un proyecto activa los números de teléfono y los SMS como segundo factor.",
        signInsToday: "Inicios de sesión hoy",
        signUpsToday: "Cuentas nuevas hoy",
        refusedToday: "Inicios de sesión rechazados hoy",
        smsYesterday: "SMS de ayer",
        currency: "Los importes están en la moneda de sus precios (LATCHKEY_SMS_PRICES). Los días son los de UTC.",
        costsOfToday: "SMS de hoy por proyecto",
        cost: "Coste",
        nothingToDo:
            "Nada requiere atención: todos los servicios responden, los mensajes llegan y ningún presupuesto está por agotarse.",
        numbersMissing:
            "Algunas cifras no se pudieron leer y faltan en esta página. No son cero. Vuelva a cargar la página.",
        summary: { "\($0) en total, el máximo a las \($1): \($2)." },
        summaryOfDays: { "\($0) en total, el máximo el \($1): \($2)." },
        today: { "hoy \($0)" },
        inMonth: { "31 días \($0)" },
        spentOfDay: {
            "Los SMS de \($0) costaron hoy \($1) de \($2). Cuando no quede nada, no se enviarán más hasta mañana (UTC)."
        },
        spentOfHour: {
            "Los SMS de \($0) costaron \($1) de \($2) en esta hora. Cuando no quede nada, no se enviarán más hasta la siguiente."
        },
        emailsFailing: {
            "Correos fallidos en la última hora: \($0) de \($1). El registro del notifier tiene los motivos (delivery.failed)."
        },
        smsFailing: {
            "SMS fallidos en la última hora: \($0) de \($1). El registro del notifier tiene los motivos (delivery.failed)."
        },
        pushesFailing: {
            "Mensajes push fallidos en la última hora: \($0) de \($1). El registro del notifier tiene los motivos (delivery.failed)."
        },
        requestsFailing: {
            "Solicitudes fallidas en la última hora: \($0) de \($1). Están en el registro del gateway (request.completed, estado 500 o superior)."
        },
        exampleSetting: { "\($0) parece un ejemplo. Ponga su propio valor antes de que los usuarios dependan de él." },
        certificateEnds: {
            "El certificado que firma las solicitudes a \($0) termina el \($1). Entregue antes el siguiente al proveedor."
        },
        atMost: { "como máximo \($0) ms" },
        moreThan: { "más de \($0) ms" })
}
