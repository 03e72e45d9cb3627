import Contracts
import Vocabulary

extension EmailLanguage {
    static let spanish = EmailLanguage(
        language: .spanish,
        greeting: "Hola, %DISPLAY_NAME%:",
        genericGreeting: "Hola:",
        linkHint: "Si el botón no funciona, copia esta dirección en tu navegador:",
        farewell: "El equipo de %APP_NAME%",
        support: "¿Preguntas? %SUPPORT_CONTACT%",
        genericFactorName: "un segundo factor",
        hiddenPasskeyName: "no se muestra",
        unknownClient: "desconocido",
        methods: .init(
            password: "contraseña", emailLink: "enlace por correo", phoneNumber: "número de teléfono",
            passkey: "llave de acceso", none: "ninguna",
            separator: ", ")
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "Verifica tu correo electrónico de %APP_NAME%",
                lead: "Sigue este enlace para verificar tu dirección de correo electrónico %EMAIL%.",
                button: "Verificar dirección",
                closing: "Si no has pedido verificar esta dirección, puedes ignorar este mensaje.")
        case .resetPassword:
            EmailText(
                subject: "Restablece tu contraseña de %APP_NAME%",
                lead: "Sigue este enlace para restablecer la contraseña de %APP_NAME% de tu cuenta %EMAIL%.",
                button: "Restablecer contraseña",
                closing: "Si no has pedido restablecer tu contraseña, puedes ignorar este mensaje.")
        case .emailSignIn:
            EmailText(
                subject: "Inicia sesión en %APP_NAME%",
                lead: "Hemos recibido una solicitud para iniciar sesión en %APP_NAME% con la dirección %EMAIL%. Sigue "
                    + "este enlace para iniciar sesión.",
                button: "Iniciar sesión",
                closing:
                    "Quien tenga el enlace puede iniciar sesión en tu nombre: no reenvíes este mensaje. Si no lo has "
                    + "pedido, puedes ignorarlo.")
        case .emailSignInCode:
            EmailText(
                subject: "Tu código de inicio de sesión de %APP_NAME%",
                lead:
                    "Hemos recibido una solicitud para iniciar sesión en %APP_NAME% con la dirección %EMAIL%. Introduce este código donde lo has pedido. Es válido durante 10 minutos.",
                closing:
                    "Quien tenga el código puede iniciar sesión en tu nombre: no se lo des a nadie, tampoco al equipo de %APP_NAME%. Si no has sido tú, puedes ignorar este mensaje."
            )
        case .emailVerificationCode:
            EmailText(
                subject: "Tu código de verificación de %APP_NAME%",
                lead:
                    "Introduce este código donde lo has pedido para verificar tu dirección de correo electrónico %EMAIL%. Es válido durante 10 minutos.",
                closing:
                    "No des el código a nadie: añadiría tu dirección a la cuenta de otra persona. Si no has sido tú, puedes ignorar este mensaje."
            )
        case .verifyAndChangeEmail:
            EmailText(
                subject: "Verifica tu nuevo correo electrónico de %APP_NAME%",
                lead:
                    "Sigue este enlace para iniciar sesión con %NEW_EMAIL% a partir de ahora. La cuenta que lo ha pedido tiene ahora la dirección %ACCOUNT% y estas formas de iniciar sesión: %SIGN_IN_METHODS%.",
                button: "Verificar nueva dirección",
                closing:
                    "Si no es tu cuenta, sigue el enlace y elige «No he sido yo».")
        case .emailChanged:
            EmailText(
                subject: "Se ha cambiado tu correo electrónico de inicio de sesión de %APP_NAME%",
                lead: "La dirección con la que inicias sesión se ha cambiado a %NEW_EMAIL%.",
                securityAdvice: "Si no has sido tú, sigue este enlace para deshacer el cambio.",
                button: "Deshacer el cambio",
                closing: "Si no has sido tú, ponte en contacto de inmediato con el equipo de %APP_NAME%.")
        case .emailRemoved:
            EmailText(
                subject: "Se ha quitado tu correo electrónico de inicio de sesión de %APP_NAME%",
                lead: "La dirección %EMAIL% se ha quitado de tu cuenta. Ya no puedes iniciar sesión con ella.",
                securityAdvice: "Si no has sido tú, sigue este enlace para deshacer el cambio.",
                button: "Deshacer el cambio",
                closing: "Si no has sido tú, ponte en contacto de inmediato con el equipo de %APP_NAME%.")
        case .secondFactorAdded:
            EmailText(
                subject: "Has añadido la verificación en dos pasos a tu cuenta de %APP_NAME%",
                lead: "Tu cuenta %EMAIL% pide ahora un segundo factor: %SECOND_FACTOR%.",
                securityAdvice: "Si no has sido tú, sigue este enlace para quitarlo.",
                button: "Quitar el segundo factor",
                closing: "Si no has sido tú, restablece tu contraseña de inmediato.")
        case .secondFactorRemoved:
            EmailText(
                subject: "Se ha quitado un segundo factor de tu cuenta de %APP_NAME%",
                lead: "Tu cuenta %EMAIL% ya no pide este segundo factor: %SECOND_FACTOR%.",
                securityAdvice: "Si no has sido tú, sigue este enlace para proteger tu cuenta.",
                button: "Proteger la cuenta",
                closing: "Si no has sido tú, restablece tu contraseña de inmediato.")
        case .passwordChanged:
            EmailText(
                subject: "Se ha cambiado tu contraseña de %APP_NAME%",
                lead: "La contraseña de tu cuenta %EMAIL% se ha cambiado.",
                securityAdvice: "Si no has sido tú, sigue este enlace para establecer una nueva.",
                button: "Restablecer contraseña",
                closing: "Si no has sido tú, restablece tu contraseña de inmediato.")
        case .recoveryCodeUsed:
            EmailText(
                subject: "Se ha usado un código de recuperación de tu cuenta de %APP_NAME%",
                lead:
                    "Alguien ha iniciado sesión en tu cuenta %EMAIL% con un código de recuperación en lugar del segundo factor. Ese código ya no sirve.",
                securityAdvice: "Si no has sido tú, sigue este enlace para proteger tu cuenta.",
                button: "Proteger la cuenta",
                closing: "Si no has sido tú, restablece tu contraseña de inmediato.")
        case .passkeyAdded:
            EmailText(
                subject: "Se ha añadido una llave de acceso a tu cuenta de %APP_NAME%",
                lead:
                    "Se ha añadido una llave de acceso a tu cuenta %EMAIL%. Con ella puedes iniciar sesión sin contraseña. Nombre de la llave de acceso: %PASSKEY%",
                securityAdvice: "Si no has sido tú, sigue este enlace para quitarla.",
                button: "Quitar la llave de acceso",
                closing: "Si no has sido tú, ponte en contacto de inmediato con el equipo de %APP_NAME%.")
        case .passkeyRemoved:
            EmailText(
                subject: "Se ha quitado una llave de acceso de tu cuenta de %APP_NAME%",
                lead:
                    "Se ha quitado una llave de acceso de tu cuenta %EMAIL%. Ya no puedes iniciar sesión con ella. Nombre de la llave de acceso: %PASSKEY%",
                securityAdvice: "Si no has sido tú, sigue este enlace para proteger tu cuenta.",
                button: "Proteger la cuenta",
                closing: "Si no has sido tú, ponte en contacto de inmediato con el equipo de %APP_NAME%.")
        case .providerLinked:
            EmailText(
                subject: "Se ha añadido un proveedor de identidad a tu cuenta de %APP_NAME%",
                lead:
                    "Se ha vinculado un proveedor de identidad a tu cuenta %EMAIL%. Puedes iniciar sesión con tu cuenta de ese proveedor. Proveedor: %PROVIDER%",
                securityAdvice: "Si no has sido tú, sigue este enlace para proteger tu cuenta.",
                button: "Proteger la cuenta",
                closing: "Si no has sido tú, ponte en contacto de inmediato con el equipo de %APP_NAME%.")
        case .providerRefused:
            EmailText(
                subject: "Se ha rechazado un inicio de sesión en tu cuenta de %APP_NAME%",
                lead:
                    "Alguien ha iniciado sesión en un proveedor de identidad con tu dirección %EMAIL%, pero no como la persona que está vinculada allí a tu cuenta. No ha obtenido acceso a tu cuenta. Proveedor: %PROVIDER%",
                securityAdvice:
                    "Si has sido tú, sigue este enlace, inicia sesión de otra forma y vuelve a vincular el proveedor.",
                button: "Abrir la aplicación",
                closing:
                    "Si has sido tú, por ejemplo con una cuenta nueva del proveedor, inicia sesión de otra forma y vuelve a vincular el proveedor. Si no, es posible que tu dirección sea ahora de otra persona."
            )
        case .newSignIn:
            EmailText(
                subject: "Nuevo inicio de sesión en tu cuenta de %APP_NAME%",
                lead:
                    "Alguien ha iniciado sesión en tu cuenta %EMAIL% con un dispositivo nuevo y desde una red nueva. Hora: %TIME%. Dispositivo: %DEVICE%. Red: %NETWORK%. Si has sido tú, no tienes que hacer nada.",
                securityAdvice:
                    "Si no has sido tú, sigue este enlace para establecer una contraseña nueva. Entonces se cerrarán todas las sesiones de la cuenta.",
                button: "Restablecer contraseña",
                closing:
                    "Si no has sido tú, cierra la sesión en tu cuenta y ponte en contacto de inmediato con el equipo de %APP_NAME%."
            )
        case .deletionScheduled:
            EmailText(
                subject: "Tu cuenta de %APP_NAME% se va a eliminar",
                lead:
                    "La cuenta %EMAIL% se ha eliminado en su página de la cuenta y todas sus sesiones se han cerrado. Se borrará definitivamente en este momento: %TIME%. Hasta entonces puedes restaurarla iniciando sesión.",
                securityAdvice:
                    "Si quieres conservar la cuenta, o si no has sido tú, sigue este enlace e inicia sesión.",
                button: "Restaurar la cuenta",
                closing: "Si no has sido tú, ponte en contacto de inmediato con el equipo de %APP_NAME%.")
        }
    }
}
