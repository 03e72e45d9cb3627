extension PageTexts {
    static let spanish = PageTexts(
        resetPassword: .init(
            title: "Elige una contraseña nueva", body: "Para la cuenta con esta dirección:",
            button: "Guardar contraseña",
            done: .init(
                title: "Tu contraseña ha cambiado",
                body: "Ya puedes iniciar sesión con ella. Se han cerrado todas tus demás sesiones.")),
        newPassword: "Contraseña nueva", passwordRequirements: "La contraseña necesita:",
        atLeast: { "al menos \($0) caracteres" }, atMost: { "como máximo \($0) caracteres" },
        lowercase: "una letra minúscula", uppercase: "una letra mayúscula", numeric: "una cifra",
        nonAlphanumeric: "un carácter especial",
        guessablePassword: "Esta contraseña es demasiado fácil de adivinar. Elige otra.",
        verifyEmail: .init(
            title: "Confirma tu dirección de correo", body: "Esta dirección es tuya:", button: "Confirmar",
            done: .init(title: "Tu dirección de correo está confirmada", body: "Puedes volver a la aplicación.")),
        accountMethods: .init(
            list: "Por ahora se puede iniciar sesión en la cuenta con:",
            none: "Todavía nadie puede iniciar sesión en la cuenta.",
            password: "Contraseña", emailLink: "Enlace por correo", phoneNumber: "Número de teléfono"),
        notMe: .init(
            body:
                "Si no has creado esta cuenta, quita estas formas de iniciar sesión. Se cerrará la sesión de quienes las usen.",
            button: "No he sido yo",
            done: .init(
                title: "Se han quitado las formas de iniciar sesión",
                body:
                    "Se han cerrado todas las sesiones y la dirección no está confirmada. Si quieres usar la cuenta, elige una contraseña."
            )),
        changeEmail: .init(
            title: "Cambia tu dirección de correo", body: "A partir de ahora iniciarás sesión con esta dirección:",
            button: "Cambiar dirección",
            done: .init(
                title: "Tu dirección de correo ha cambiado",
                body: "Inicia sesión de nuevo con la dirección nueva.")),
        changedAccount: "La cuenta que ha pedido el cambio tiene ahora esta dirección:",
        notMyChange: .init(
            body: "Si no es tu cuenta, el cambio daría tu dirección a la cuenta de otra persona.",
            button: "No he sido yo",
            done: .init(
                title: "La dirección no ha cambiado",
                body: "Tu dirección no se ha asignado a la cuenta. No tienes que hacer nada más.")),
        recoverEmail: .init(
            title: "Recupera tu dirección de correo", body: "Tu cuenta volverá a tener esta dirección:",
            button: "Deshacer el cambio",
            done: .init(
                title: "Has recuperado tu dirección de correo",
                body: "Si no la cambiaste tú, es posible que alguien conozca tu contraseña. Cámbiala ahora.")),
        changePassword: .init(
            title: "Cambia tu contraseña", body: "Enviaremos un enlace a esta dirección:",
            button: "Enviarme un enlace para una contraseña nueva",
            done: .init(title: "Mira tu correo", body: "Un enlace para una contraseña nueva está en camino.")),
        removeSecondFactor: .init(
            title: "Quitar un segundo paso", body: "Se quitará este segundo paso de tu inicio de sesión:",
            button: "Quitar",
            done: .init(
                title: "El segundo paso se ha quitado",
                body: "Si no lo añadiste tú, es posible que alguien conozca tu contraseña. Cámbiala ahora.")),
        removePasskey: .init(
            title: "Quitar una llave de acceso", body: "Se quitará esta llave de acceso de tu cuenta:",
            button: "Quitar",
            done: .init(
                title: "La llave de acceso se ha quitado",
                body: "Si no la añadiste tú, es posible que alguien conozca tu contraseña. Cámbiala ahora.")),
        accountPasskeys: .init(
            list: "Con estas llaves de acceso se puede iniciar sesión en tu cuenta:", unnamed: "Una llave de acceso",
            added: { "Añadida el \($0)" }, lastUsed: { "Último uso el \($0)" },
            stay:
                "Una contraseña nueva no las quita. Si no reconoces alguna, quítala en la aplicación.",
            removal: .init(
                body:
                    "Si otra persona cambió la dirección, es posible que también haya añadido una llave de acceso. Más tarde podrás volver a añadir las tuyas.",
                button: "No he sido yo: quitar también estas llaves de acceso",
                done: .init(
                    title: "Has recuperado tu dirección de correo y se han quitado las llaves de acceso",
                    body: "Es posible que alguien conozca también tu contraseña. Cámbiala ahora."))),
        recentProviders: .init(
            list:
                "En los últimos siete días se vincularon estas cuentas de otros proveedores, con las que se puede iniciar sesión:",
            linked: { "Vinculada el \($0)" },
            stay:
                "Una contraseña nueva no las quita. Si no reconoces alguna, quítala en la aplicación."),
        authenticatorApp: "Aplicación de autenticación",
        signIn: .init(title: "Iniciar sesión", body: "Un clic más y habrás iniciado sesión."),
        signInHasNoTarget: "Abre este enlace en el dispositivo en el que quieres iniciar sesión.",
        continueLabel: "Continuar",
        appVerification: .init(
            title: "Un momento, por favor",
            body:
                "Comprobamos que no sea un programa quien pide los mensajes. Tarda unos segundos y después"
                + " volverás solo a la aplicación.",
            prompt: "Demuestra que eres una persona y volverás a la aplicación.",
            done: "Listo. Vuelves a la aplicación.", goBack: "Volver a la aplicación",
            failed: "La comprobación no ha funcionado.", tryAgain: "Intentarlo de nuevo",
            noScript:
                "Esta página necesita JavaScript. Actívalo en el navegador y abre la página otra vez desde"
                + " la aplicación.",
            unknownApp: .init(
                title: "Esta aplicación no se conoce aquí",
                body: "Vuelve a la aplicación e inténtalo de nuevo. Si no sirve, avisa a los responsables.")),
        providerSignIn: .init(
            returning: .init(title: "Un momento", body: "Vuelve a la aplicación."),
            canceled: .init(
                title: "No has iniciado sesión",
                body: "Has cancelado el inicio de sesión en el proveedor. Puedes intentarlo de nuevo en la aplicación."),
            refused: .init(
                title: "El proveedor no ha iniciado la sesión",
                body:
                    "Ha comunicado un error, o su respuesta no era válida. Vuelve a la aplicación e inténtalo de nuevo."
            ),
            unreachable: .init(
                title: "No se puede contactar con el proveedor",
                body: "Inténtalo de nuevo en unos minutos, o elige otra forma de iniciar sesión."),
            notOffered: .init(
                title: "Esta forma de iniciar sesión no está disponible",
                body: "Vuelve a la aplicación y elige otra."),
            expired: .init(
                title: "Este inicio de sesión ha terminado",
                body: "Ha tardado más de diez minutos, o comenzó en otro navegador. Empieza de nuevo en la aplicación."),
            unknownApp: .init(
                title: "Esta aplicación no está configurada aquí",
                body: "Sus responsables deben registrar aquí su dirección."),
            noWindow:
                "La ventana de la aplicación está cerrada. Cierra también esta y empieza de nuevo en la aplicación."),
        passkeyPage: .init(
            title: "Llaves de acceso",
            identifier: "Correo electrónico o número de teléfono",
            signIn: "Iniciar sesión con una llave de acceso",
            password: "Contraseña",
            signInWithPassword: "Iniciar sesión con la contraseña",
            signUpBody: "¿Aún no tienes una cuenta? No hace falta ni correo ni contraseña.",
            signUp: "Crear una cuenta solo con una llave de acceso",
            signedInAs: "Has iniciado sesión como:",
            list: "Tus llaves de acceso",
            noPasskeys: "La cuenta no tiene ninguna llave de acceso.",
            name: "Nombre de la llave de acceso",
            rename: "Cambiar nombre",
            remove: "Quitar",
            add: "Añadir una llave de acceso",
            signOut: "Cerrar sesión",
            noScript: "Esta página necesita JavaScript. Actívalo en el navegador y vuelve a cargar la página.",
            removalQuestion:
                "¿Quitar esta llave de acceso? Ya no podrás iniciar sesión con ella, solo con las otras formas de tu cuenta.",
            cancel: "Cancelar",
            messages: .init(
                added: "Se ha añadido la llave de acceso.",
                renamed: "La llave de acceso tiene un nombre nuevo.",
                removed: "Se ha quitado la llave de acceso. Ya no sirve para iniciar sesión.",
                canceled: "Tú o el navegador habéis cancelado la solicitud. Inténtalo de nuevo.",
                exists: "Tu gestor de contraseñas ya tiene una llave de acceso para esta cuenta.",
                unknown: "Ninguna cuenta tiene ya esta llave de acceso. Elige otra.",
                timedOut: "Ha tardado demasiado. Inténtalo de nuevo.",
                secondFactor: "Esta cuenta requiere un segundo paso. Inicia sesión con la aplicación.",
                invalidCredentials: "La dirección de correo o la contraseña no es correcta.",
                lastMethod: "Es la única forma de iniciar sesión en tu cuenta. Añade primero otra.",
                failed: "No ha funcionado.",
                unsupported: "Este navegador no admite llaves de acceso.")),
        hostedSignIn: .init(
            title: "Iniciar sesión",
            signUpTitle: "Crear una cuenta",
            toContinue: { "para continuar en \($0)" },
            email: "Correo electrónico",
            newHere: "¿Aún sin cuenta?",
            createAccount: "Crear una cuenta",
            haveAccount: "¿Ya tienes una cuenta?",
            enterPassword: "Escribe tu contraseña",
            showPassword: "Mostrar contraseña",
            forgotten: "¿Olvidaste tu contraseña?",
            emailLink: "Enviarme un enlace por correo",
            emailCode: "Enviarme un código por correo",
            otherAccount: "Usar otra cuenta",
            or: "o",
            continueWith: { "Continuar con \($0)" },
            invalidEmail: "Escribe una dirección como nombre@example.com.",
            missingPassword: "Escribe tu contraseña para seguir.",
            name: "Tu nombre (opcional)",
            emailHasAccount: "Esta dirección ya tiene una cuenta. Inicia sesión.",
            otherMethod: "Esta dirección ya tiene una cuenta. Inicia sesión como lo has hecho hasta ahora.",
            resetSent: "Si una cuenta tiene esta dirección, un enlace para una contraseña nueva va en camino.",
            linkSent: "Un enlace para iniciar sesión va en camino. Ábrelo en este navegador.",
            linkEmail: "La dirección a la que se envió el enlace.",
            chooseFactor: "Confirma que eres tú",
            appCode: "Escribe el código de tu aplicación de autenticación",
            smsCode: "Escribe el código de tu SMS",
            smsSentTo: { "Lo hemos enviado al \($0)." },
            enterEmailCode: "Escribe el código de tu correo",
            emailSentTo: { "Lo hemos enviado a \($0)." },
            codeLabel: "Código de seis cifras",
            confirm: "Confirmar",
            wrongCode: "Ese no es el código. Inténtalo de nuevo.",
            codeExpired: "El código ha caducado. Envía uno nuevo.",
            sendAgain: "Enviar un código nuevo",
            useApp: "Usar una aplicación de autenticación",
            useSMS: { "Enviar un SMS al \($0)" },
            useRecoveryCode: "Usar un código de recuperación",
            enterRecoveryCode: "Escribe un código de recuperación",
            recoveryCode: "Código de recuperación",
            recoveryCodeHint: "Cada código sirve una vez.",
            verifyFirst: .init(
                title: "Verifica primero tu dirección",
                body:
                    "Tu cuenta necesita un segundo paso al iniciar sesión. Podrás configurarlo en cuanto tu dirección esté verificada."
            ),
            sendEmail: "Enviar el correo",
            verificationSent: "Un correo va en camino. Abre su enlace y después continúa aquí.",
            secondStepNeeded: "Tu cuenta necesita un segundo paso al iniciar sesión.",
            openApp: "Abrir una aplicación en este dispositivo",
            offerPasskey: .init(
                title: "Inicia sesión sin contraseña la próxima vez",
                body:
                    "Con una llave de acceso basta con tu huella, tu cara o el bloqueo de la pantalla."
            ),
            notNow: "Ahora no",
            startAgain: "Empezar de nuevo",
            signedIn: "Has iniciado sesión",
            continueAs: { "Continuar como \($0)" },
            signOutEverywhere: "Cerrar sesión en todos los dispositivos",
            signUpClosed: "Aquí no se pueden crear cuentas. Pregunta a quienes gestionan la aplicación.",
            signedOut: .init(title: "Has cerrado la sesión", body: "Puedes cerrar esta página."),
            foreignForm: .init(
                title: "Eso no vino de aquí",
                body:
                    "La página estuvo abierta demasiado tiempo, o las cookies están desactivadas. Vuelve atrás e inténtalo de nuevo."
            )),
        foot: .init(help: "Ayuda", terms: "Condiciones", privacy: "Privacidad"),
        incompleteLink: .init(
            title: "Este enlace está incompleto",
            body: "Falta una parte de la dirección. Copia el enlace entero del mensaje en tu navegador."),
        unknownApplication: .init(
            title: "Este enlace es de otra aplicación",
            body: "Aquí no hay ninguna aplicación registrada con su clave. Pide un enlace nuevo a quien te lo envió."),
        invalidLink: .init(
            title: "Este enlace no funciona",
            body: "Ya se ha usado, o se ha enviado uno más reciente. Pide un enlace nuevo."),
        expiredLink: .init(title: "Este enlace ha caducado", body: "Pide uno nuevo."),
        accountDisabled: .init(
            title: "Esta cuenta está desactivada", body: "Ponte en contacto con los responsables de la aplicación."),
        emailAlreadyInUse: .init(
            title: "Esta dirección está ocupada", body: "Entretanto, otra cuenta tiene esta dirección de correo."),
        crossSiteForm: .init(
            title: "Eso no venía de aquí", body: "Abre de nuevo el enlace de tu correo y usa su botón."),
        tooManyAttempts: .init(title: "Demasiados intentos", body: "Espera un rato y vuelve a intentarlo."),
        unavailable: .init(
            title: "No ha funcionado", body: "El fallo es nuestro. Vuelve a intentarlo dentro de un momento."))
}
