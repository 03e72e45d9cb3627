extension PageTexts.Integrations {
    static let spanish = PageTexts.Integrations(
        title: "Integraciones",
        body:
            "Lo que usan otros programas: webhooks, aplicaciones, claves de servidores y claves de notificaciones push.",
        shownOnce: "Cópielo ahora: no se vuelve a mostrar.",
        back: "Volver a las integraciones",
        webhooks: "Webhooks de eventos",
        webhooksBody: "Solicitudes firmadas informan a su servidor de lo que pasa con las cuentas.",
        addWebhook: "Añadir un webhook",
        webhookURL: "URL de su servidor",
        eventTypes: "Tipos de eventos",
        eventTypesHint: "Uno en cada línea, por ejemplo account.created. Vacío: todos.",
        everyEvent: "todos los eventos",
        working: "funciona",
        failing: "no responde correctamente",
        gone: "respondió que ya no existe",
        state: "Estado",
        waiting: "Eventos en espera",
        dropped: "Eventos eliminados porque había demasiados",
        deliveries: "Últimos eventos",
        noDeliveries: "Todavía no hay eventos. Envíe una prueba para ver si su servidor responde.",
        pending: "en espera",
        delivered: "entregado",
        failed: "fallido",
        attempts: "Intentos",
        problem: "Problema",
        sendTest: "Enviar una prueba",
        replay: "Enviar de nuevo",
        turnOff: "Desactivar",
        turnOn: "Activar",
        rotateSecret: .init(
            title: "Secreto nuevo",
            body:
                "Su servidor necesita el secreto nuevo para aceptar los eventos. El anterior sigue firmando durante un día."
        ),
        removeWebhook: .init(
            title: "Eliminar este webhook",
            body:
                "Sus eventos en espera se eliminan y su servidor no recibe más. No se puede deshacer."
        ),
        applications: "Aplicaciones",
        applicationsBody: "Reciben a sus usuarios de las páginas de inicio de sesión.",
        addApplication: "Añadir una aplicación",
        applicationName: "Nombre que ven los usuarios",
        kind: "Dónde se ejecuta",
        webKind: "página web",
        toolKind: "línea de comandos o escritorio",
        redirects: "Direcciones a las que los usuarios pueden volver",
        redirectsHint: "Una en cada línea.",
        clientID: "ID de cliente",
        removeApplication: .init(
            title: "Eliminar esta aplicación",
            body:
                "Ya no puede iniciar la sesión de nadie. No se puede deshacer."
        ),
        clientConfiguration: "Clave de API y código para aplicaciones",
        clientConfigurationBody: "No es un secreto: cada copia de una aplicación lo contiene.",
        apiKey: "Clave de API",
        show: "Mostrar",
        serviceAccounts: "Cuentas de servicio",
        serviceAccountsBody: "Con una clave así, un servidor administra este proyecto.",
        addServiceAccount: "Crear una clave",
        serviceAccountName: "Nombre de la cuenta",
        serviceAccountNameHint: "Letras minúsculas, dígitos y guiones. Una cuenta existente recibe otra clave.",
        keyFile: "Archivo de clave",
        removeServiceAccount: .init(
            title: "Revocar esta clave",
            body:
                "Quien la tenga ya no puede hacer nada con ella y sus tokens de acceso terminan enseguida. No se puede deshacer."
        ),
        pushKeys: "Claves de notificaciones push para dispositivos Apple",
        pushKeysBody: "Las aplicaciones sin una usan la clave de la instalación.",
        addPushKey: "Añadir una clave push",
        bundleID: "ID del paquete",
        keyID: "ID de la clave",
        teamID: "ID del equipo",
        environment: "Entorno",
        everyEnvironment: "pruebas y producción",
        privateKey: "Clave privada",
        privateKeyHint: "El contenido del archivo AuthKey_….p8 de Apple. Se guarda sellado y no se vuelve a mostrar.",
        removePushKey: .init(
            title: "Eliminar esta clave",
            body:
                "Ya no envía notificaciones. La aplicación usa entonces otra clave o la página de comprobación. No se puede deshacer."
        ),
        functions: "Funciones de bloqueo",
        functionsBody: "Deciden sobre un registro o un inicio de sesión antes de que ocurra.",
        beforeCreate: "Función antes de una cuenta nueva",
        beforeSignIn: "Función antes de un inicio de sesión",
        functionHint: "Una URL https, que tiene siete segundos para responder. Vacío: ninguna.",
        sendIDToken: "Enviar el token de ID del proveedor",
        sendAccessToken: "Enviar el token de acceso del proveedor",
        sendRefreshToken: "Enviar el token de actualización del proveedor",
        none: "Todavía ninguno.")
}
