extension PageTexts.ConsoleUsers {
    static let spanish = Self(
        unverified: "Dirección sin confirmar",
        withoutFactor: "Sin segundo factor",
        ofProvider: "Con una cuenta en un proveedor",
        createdSince: "Creados desde un día",
        moreFilters: "Proveedor y día",
        sortHint: "Para la lista de todos los usuarios. Las búsquedas y los filtros tienen su propio orden.",
        provider: "Identificador del proveedor",
        providerMissing: "Indique el proveedor, por ejemplo google.com.",
        since: "Creados desde (UTC)",
        dayMalformed: "Escriba el día con año, mes y día: 2026-11-01.",
        chosen: "Elegir",
        choose: { "Elegir a \($0)" },
        choosing:
            "Para los usuarios que elija o, si no elige ninguno, para todos los que encuentra esta lista. La página siguiente dice cuáles son y qué ocurrirá.",
        disableAll: .init(
            title: "Desactivar estas cuentas",
            body:
                "Los usuarios no pueden iniciar sesión y los tokens se rechazan. Sus sesiones continúan cuando las cuentas se activan de nuevo."
        ),
        enableAll: .init(
            title: "Activar estas cuentas",
            body: "Los usuarios pueden volver a iniciar sesión y las sesiones anteriores continúan."
        ),
        endSessionsOfAll: .init(
            title: "Cerrar las sesiones de estos usuarios",
            body: "Los usuarios quedan desconectados en todos sus dispositivos y todos los tokens dejan de ser válidos."
        ),
        sendVerificationToAll: .init(
            title: "Enviar correos de confirmación",
            body:
                "Cada usuario recibe un correo con un enlace que confirma la dirección. Se aplican los límites de correos."
        ),
        deleteAll: .init(
            title: "Eliminar estas cuentas",
            body: "Se eliminan las cuentas, sus sesiones, factores y llaves de acceso. No se puede deshacer."
        ),
        nothingToDo: "No hay nada que hacer: no queda ningún usuario al que esto cambie.",
        countOfUsers: { $0 == 1 ? "\($0) usuario" : "\($0) usuarios" },
        skipped: {
            $0 == 1 ? "\($0) más ya está así y se queda como está." : "\($0) más ya están así y se quedan como están."
        },
        atLeastUsers: { $0 == 1 ? "Al menos \($0) usuario" : "Al menos \($0) usuarios" },
        uncounted: "Coinciden más usuarios de los que se cuentan aquí. Esto los recorre todos.",
        cutOff:
            "Coinciden más usuarios de los que da la búsqueda de un texto. Esto es para los que se cuentan aquí: escriba más para llegar a los demás.",
        progress: { done, total in
            total.map { "\(done) de \($0) hechos" } ?? "\(done) hechos"
        },
        lookAgain: "Esta página se actualiza cada dos segundos. Puede salir de ella: el trabajo continúa.",
        lookNow: "Actualizar ahora",
        stop: "Detener",
        complete: "Se ha completado.",
        stopped: "Se ha detenido. Lo que está hecho se queda. Repítalo para el resto.",
        roleEnded: "Se ha detenido: su sesión terminó o su función ya no lo permite. Lo que está hecho se queda.",
        failed: "El resto no se ha hecho. El motivo:",
        failures: { $0 == 1 ? "\($0) cuenta no se ha cambiado:" : "\($0) cuentas no se han cambiado:" },
        unknownWork: .init(
            title: "Este trabajo no se conoce aquí",
            body:
                "Terminó hace mucho o el proceso se reinició entretanto. El registro de auditoría dice qué se hizo. Puede repetirlo sin riesgo: lo que está hecho no se hace dos veces."
        ),
        busy: .init(
            title: "Hay demasiado en curso",
            body: "No se puede iniciar más trabajo largo a la vez. Espere a que termine alguno e inténtelo de nuevo."
        ),
        importUsers: "Importar usuarios",
        importBody: "Primero se comprueba el archivo y nada cambia. La página siguiente dice qué haría la importación.",
        file: "Archivo de usuarios",
        fileHint:
            "Lo que escribe firebase auth:export (JSON o CSV) o las JSON Lines de latchkey users export; el nombre termina en .json, .csv o .jsonl. Como máximo 1 MB. Para un archivo mayor o sellado, use latchkey users import.",
        fileMissing: "Elija un archivo que no esté vacío.",
        hashParameters: "Parámetros del hash",
        hashParametersHint:
            "Como los muestra la consola de Firebase, si el archivo tiene hashes de contraseñas de ella. Si no, déjelo vacío.",
        hashParametersMalformed: "Estos parámetros del hash no se pueden leer.",
        hashParametersMissing: "El archivo tiene hashes de contraseñas sin algoritmo. Añada los parámetros del hash.",
        keepExisting: "Conservar las cuentas que existen",
        check: "Comprobar el archivo",
        existingAreKept: "Las cuentas que existen se quedan como están.",
        existingAreReplaced:
            "Las cuentas que existen se sustituyen y sus usuarios quedan desconectados. No se puede deshacer.",
        unreadableFrom: { "El archivo no se puede leer a partir del registro \($0). Lo anterior está hecho." },
        exportUsers: "Exportar usuarios",
        exportBody:
            "El archivo tiene un usuario en cada línea, en JSON, sin contraseñas. Solo para administradores contiene los claims.",
        exportProfiles: "Descargar los usuarios",
        exportHashesBody:
            "Con los hashes y sus claves, otra instalación puede comprobar las contraseñas. Quien tenga el archivo puede probar contraseñas. La descarga queda en el registro de auditoría.",
        exportHashes: "Descargar con los hashes",
        exportCutOff:
            "Si el archivo no está completo, el navegador avisa de que la descarga falló. Empiece entonces de nuevo.",
        codesBlocked: { "Los códigos de \($0) se rechazan hasta \($1), tras demasiados códigos erróneos." },
        codesBlockedForGood: {
            "Los códigos de \($0) se rechazan de forma permanente, tras demasiados códigos erróneos. Quite el factor; el usuario puede añadirlo de nuevo."
        },
        codesUnknown: "No se sabe si códigos erróneos bloquean el inicio de sesión: falta un servicio.")
}
