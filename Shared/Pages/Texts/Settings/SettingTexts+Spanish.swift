extension PageTexts.Settings {
    static let spanish = PageTexts.Settings(
        signIn: .init("Formas de iniciar sesión", "Cómo inician sesión los usuarios y quién puede tener una cuenta."),
        factors: .init("Segundos factores", "Lo que pide un inicio de sesión después del primer paso."),
        passkeys: .init("Reglas de las passkeys", "El dominio de las passkeys y lo que deben probar."),
        passwords: .init("Política de contraseñas", "Lo que deben tener las contraseñas nuevas."),
        mails: .init("Correos", "Idioma, enlaces y avisos de los correos."),
        branding: .init("Nombre y aspecto", "Cómo muestran la aplicación las páginas y los correos."),
        messages: .init("Mensajes de texto", "Países, números de prueba y el texto de los códigos."),
        hosts: .init("Dominios", "Adónde pueden llevar los enlaces y páginas."),
        protection: .init("Protección", "Lo que averiguan los extraños y cuántas cuentas se pueden añadir."),
        passwordSignIn: .init("Inicio de sesión con contraseña"),
        linkSignIn: .init(
            "Inicio de sesión con enlace por correo", "En un proyecto, necesita también el inicio con contraseña."),
        codeSignIn: .init("Inicio de sesión con código por correo"),
        phoneSignIn: .init("Inicio de sesión con teléfono"),
        anonymousSignIn: .init(
            "Usuarios anónimos", "Una aplicación puede usar una cuenta antes de que el usuario inicie sesión."),
        selfSignUp: .init("Los usuarios pueden registrarse", "Desactivado: solo los administradores añaden cuentas."),
        selfDeletion: .init("Los usuarios pueden eliminar su cuenta"),
        duplicateEmails: .init(
            "Varias cuentas con una dirección",
            "Activado: un inicio con un proveedor nunca se une a una cuenta con la misma dirección."),
        tenants: .init("El proyecto puede tener inquilinos"),
        tenantName: .init("Nombre del inquilino"),
        isClosed: .init("Nadie puede iniciar sesión", "Activado: las sesiones tampoco continúan."),
        appFactor: .init("Aplicación de autenticación como segundo factor"),
        appSteps: .init(
            "Diferencia de reloj de las aplicaciones, en pasos de 30 segundos",
            "De 0 a 10 a cada lado. Con más, un código vale más tiempo."),
        smsFactor: .init("Mensaje de texto como segundo factor"),
        rememberedDays: .init(
            "Días durante los que se puede recordar un dispositivo",
            "A un dispositivo recordado no se le pide un segundo factor. De 0 a 90. 0: no se recuerda ninguno."),
        passkeyState: .init("Los usuarios pueden añadir y usar passkeys"),
        relyingParty: .init(
            "Dominio de las passkeys", "Con otro dominio, las passkeys que tienen los usuarios dejan de funcionar."),
        relyingPartyName: .init("Nombre junto a una passkey"),
        passkeyOrigins: .init(
            "Páginas y aplicaciones que pueden usar passkeys", "Un origen por línea, como https://example.com."),
        userVerification: .init(
            "Una passkey debe verificar a su usuario",
            "Con PIN, dedo o cara. Desactivado: una passkey sin ello es un solo factor."),
        counterRegression: .init(
            "Rechazar una passkey cuyo contador retrocede",
            "Dos dispositivos pueden tener la misma clave. Desactivado: queda una entrada en el registro."),
        attestation: .init("Pedir el modelo del autenticador"),
        requireTrusted: .init("Solo modelos con una prueba de confianza", "Necesita que se pida el modelo."),
        allowedModels: .init("Modelos permitidos", "Un AAGUID por línea. Vacío: todos."),
        deniedModels: .init("Modelos rechazados"),
        appleApps: .init(
            "Aplicaciones de Apple con passkeys",
            "Un ID de equipo y de paquete por línea, como TEAMID1234.com.example.app."),
        enrollPage: .init("Página donde los usuarios añaden una passkey"),
        managePage: .init("Página donde los usuarios gestionan sus passkeys"),
        offerInterval: .init(
            "Días hasta volver a ofrecer una passkey omitida", "0: las páginas de inicio no ofrecen ninguna."),
        policyState: .init("Las contraseñas nuevas deben cumplir esta política"),
        forceUpgrade: .init(
            "También en el próximo inicio de sesión",
            "Activado: quien tenga una contraseña que no la cumple debe cambiarla."),
        minimumLength: .init(
            "Mínimo de caracteres de una contraseña",
            "Vacío: la regla de la instalación, 15 caracteres u 8 con segundo factor obligatorio."),
        maximumLength: .init("Máximo de caracteres de una contraseña"),
        needsLowercase: .init("Se necesita una letra minúscula"),
        needsUppercase: .init("Se necesita una letra mayúscula"),
        needsDigit: .init("Se necesita un dígito"),
        needsSymbol: .init("Se necesita otro carácter, como !"),
        defaultLocale: .init("Idioma cuando no se conoce el del usuario", "Una etiqueta de idioma como de o pt-BR."),
        signInNotices: .init("Avisar de inicios de sesión con dispositivos nuevos"),
        callbackPage: .init("Página que abren los enlaces de los correos", "Vacío: la página de esta instalación."),
        inheritsMails: .init("Los correos tienen los textos y el remitente del proyecto"),
        applicationName: .init("Nombre de la aplicación", "Vacío: el ID del proyecto."),
        senderName: .init("Remitente de los correos"),
        supportContact: .init("Dónde obtienen ayuda los usuarios", "Una dirección de correo o https."),
        termsPage: .init("Términos de uso"),
        privacyPage: .init("Política de privacidad"),
        colorScheme: .init("Páginas claras u oscuras"),
        lightBrand: .init(
            "Color de marca en páginas claras",
            "Del botón, como # y seis dígitos. Se rechaza un color que algunos no pueden leer."),
        lightCanvas: .init("Fondo de las páginas claras"),
        darkBrand: .init("Color de marca en páginas oscuras"),
        darkCanvas: .init("Fondo de las páginas oscuras"),
        cornerRadius: .init("Radio de las esquinas, en píxeles", "De 0 a 24."),
        allowedRegions: .init(
            "Solo estos países", "Dos mayúsculas por línea, como DE. Los números de otros países no reciben mensajes."),
        deniedRegions: .init("Todos menos estos países", "En lugar de la lista de arriba, no además de ella."),
        testNumbers: .init(
            "Números de prueba",
            "Un número y sus seis dígitos por línea, como +15555550100 123456. No se les envía ningún mensaje."),
        deviceLocale: .init("Los mensajes tienen el idioma del dispositivo"),
        messageText: .init(
            "Texto del mensaje con un código",
            "Con %LOGIN_CODE% y %APP_NAME%. Vacío: un texto en el idioma del usuario."),
        domains: .init(
            "Dominios autorizados", "Un nombre de host por línea. Los enlaces y páginas solo llevan a estos hosts."),
        emailPrivacy: .init(
            "Ocultar qué direcciones tienen cuenta",
            "Desactivado: cualquiera puede probar direcciones y ver cuáles se conocen."),
        signUpQuota: .init("Cuentas que una red puede añadir en el tiempo de abajo"),
        quotaStart: .init("Desde", "Una hora UTC como 2026-01-31T12:00:00Z. Los tres van juntos."),
        quotaDuration: .init("Durante", "En segundos, como 3600s. Como máximo una semana."),
        optional: "los usuarios pueden añadirlo",
        mandatory: "todos los usuarios lo necesitan",
        light: "claras",
        dark: "oscuras",
        both: "como el dispositivo",
        fromProject: "como en el proyecto",
        unset: "sin definir",
        standard: { "Predeterminado: \($0)" },
        tenantsOfProject: "Inquilinos",
        settingsOfTenant: { "Ajustes del inquilino \($0)" },
        settingsOfProject: "Ajustes del proyecto")
}
