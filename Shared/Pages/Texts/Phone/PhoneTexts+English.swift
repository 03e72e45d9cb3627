extension PageTexts.Phone {
    static let english = PageTexts.Phone(
        emailOrNumber: "E-mail address or phone number",
        invalidEmailOrNumber:
            "Enter an address such as name@example.com, or a number with its country code, such as +1 202 555 0123.",
        useNumber: "Use a phone number",
        numberHint: "With the country code, such as +1 202 555 0123. We send a code to it by text message.",
        invalidNumber: "Enter a number with its country code, such as +1 202 555 0123.",
        sendCode: "Send a code",
        cannotSend: "No text message can be sent to this number. Use another one, or another way.",
        numberTaken:
            "This number belongs to another account. Sign in to that account and remove the number there first.",
        oneRole: "A phone cannot be both the way to sign in and the second step. Remove one of them first.",
        addNumber: "Add a phone number",
        changeNumber: "Change the phone number",
        numberBody: "You can then sign in with a code that we send to this number.",
        removeNumber: "Remove the phone number",
        removeNumberBody: "You can no longer sign in with a code sent to this number.",
        addMessages: "Add text messages",
        addMessagesBody: "We send a code to your phone when you sign in. You are signed out on all other devices.",
        phoneName: "Name of the phone (optional)",
        alreadyAdded: "This number is one of your second steps already.",
        tooManyFactors: "Your account has as many second steps as it can have. Remove one first.",
        noSecondStep:
            "The way in which you signed in has no second step. Sign in with your password or in another way first.",
        factorName: "Name of the second step",
        invalidName: "Enter a name of at most 128 characters.")
}
