extension PageTexts.Phone {
    static let spanish = PageTexts.Phone(
        emailOrNumber: "Correo electrónico o número de teléfono",
        invalidEmailOrNumber:
            "Escribe una dirección como name@example.com o un número con el prefijo del país, como +34 612 345 678.",
        useNumber: "Usar un número de teléfono",
        numberHint: "Con el prefijo del país, como +34 612 345 678. Enviaremos un código por SMS.",
        invalidNumber: "Escribe un número con el prefijo del país, como +34 612 345 678.",
        sendCode: "Enviar un código",
        cannotSend: "No se puede enviar ningún SMS a este número. Usa otro número u otra forma.",
        numberTaken: "Este número es de otra cuenta. Inicia sesión en esa cuenta y quítalo allí primero.",
        oneRole:
            "Un teléfono no puede servir a la vez para iniciar sesión y como segundo paso. Quita primero uno de los dos.",
        addNumber: "Añadir un número de teléfono",
        changeNumber: "Cambiar el número de teléfono",
        numberBody: "Después podrás iniciar sesión con un código que enviaremos a este número.",
        removeNumber: "Quitar el número de teléfono",
        removeNumberBody: "Ya no podrás iniciar sesión con un código enviado a este número.",
        addMessages: "Añadir mensajes SMS",
        addMessagesBody:
            "Enviaremos un código a tu teléfono cuando inicies sesión. Se cerrará la sesión en los demás dispositivos.",
        phoneName: "Nombre del teléfono (opcional)",
        alreadyAdded: "Este número ya es uno de tus segundos pasos.",
        tooManyFactors: "Tu cuenta ya tiene todos los segundos pasos que puede tener. Quita uno primero.",
        noSecondStep:
            "La forma en que has iniciado sesión no tiene segundo paso. Inicia sesión primero con tu contraseña o de otra forma.",
        factorName: "Nombre del segundo paso",
        invalidName: "Escribe un nombre de 128 caracteres como máximo.")
}
