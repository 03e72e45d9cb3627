extension PageTexts {
    static let english = PageTexts(
        resetPassword: .init(
            title: "Choose a new password", body: "For the account with this address:", button: "Save password",
            done: .init(
                title: "Your password has been changed",
                body: "You can sign in with it now. You have been signed out everywhere else.")),
        newPassword: "New password", passwordRequirements: "The password needs:",
        atLeast: { "at least \($0) characters" }, atMost: { "at most \($0) characters" },
        lowercase: "a lower-case letter", uppercase: "an upper-case letter", numeric: "a digit",
        nonAlphanumeric: "a special character",
        guessablePassword: "This password is too easy to guess. Choose another one.",
        verifyEmail: .init(
            title: "Confirm your e-mail address", body: "This address belongs to you:", button: "Confirm",
            done: .init(title: "Your e-mail address is confirmed", body: "You can go back to the application.")),
        accountMethods: .init(
            list: "At present the account can be signed in to with:", none: "Nobody can sign in to the account yet.",
            password: "Password", emailLink: "Link by e-mail", phoneNumber: "Phone number"),
        notMe: .init(
            body:
                "If you did not create this account, remove these ways to sign in. Everybody who uses them is signed out.",
            button: "This was not me",
            done: .init(
                title: "The ways to sign in have been removed",
                body:
                    "Everybody has been signed out, and the address is not confirmed. If you want to use the account yourself, choose a password."
            )),
        changeEmail: .init(
            title: "Change your e-mail address", body: "From now on you sign in with this address:",
            button: "Change address",
            done: .init(
                title: "Your e-mail address has been changed", body: "Sign in again with the new address.")),
        changedAccount: "The account that asked for the change has this address at present:",
        notMyChange: .init(
            body: "If this is not your account, the change would give your address to somebody else’s account.",
            button: "This was not me",
            done: .init(
                title: "The address stays as it was",
                body: "Your address was not given to the account. You need do nothing more.")),
        recoverEmail: .init(
            title: "Get your e-mail address back", body: "Your account gets this address again:",
            button: "Take the change back",
            done: .init(
                title: "Your e-mail address is back",
                body: "If it was not you who changed it, somebody else may know your password. Change it now.")),
        changePassword: .init(
            title: "Change your password", body: "We send a link to this address:",
            button: "Send me a link for a new password",
            done: .init(title: "Look into your mailbox", body: "A link for a new password is on its way.")),
        removeSecondFactor: .init(
            title: "Remove a second step", body: "This second step of your sign-in will be removed:",
            button: "Remove",
            done: .init(
                title: "The second step has been removed",
                body: "If it was not you who added it, somebody else may know your password. Change it now.")),
        removePasskey: .init(
            title: "Remove a passkey", body: "This passkey will be removed from your account:", button: "Remove",
            done: .init(
                title: "The passkey has been removed",
                body: "If it was not you who added it, somebody else may know your password. Change it now.")),
        accountPasskeys: .init(
            list: "These passkeys can sign in to your account:", unnamed: "A passkey",
            added: { "Added on \($0)" }, lastUsed: { "Last used on \($0)" },
            stay:
                "A new password does not remove them. If you do not know one of them, remove it in the application.",
            removal: .init(
                body:
                    "If somebody else has changed the address, they may have added a passkey too. You can add your own passkeys again later.",
                button: "This was not me: also remove these passkeys",
                done: .init(
                    title: "Your e-mail address is back, and the passkeys have been removed",
                    body: "Somebody else may know your password too. Change it now."))),
        recentProviders: .init(
            list:
                "In the last seven days these accounts of other providers were linked and can sign in:",
            linked: { "Linked on \($0)" },
            stay:
                "A new password does not remove them. If you do not know one of them, remove it in the application."),
        authenticatorApp: "Authenticator app",
        signIn: .init(title: "Sign in", body: "One more click and you are signed in."),
        signInHasNoTarget: "Open this link on the device on which you want to sign in.", continueLabel: "Continue",
        appVerification: .init(
            title: "One moment, please",
            body:
                "We make sure that no program asks for messages. This takes a few seconds, then you go back"
                + " to the app by yourself.",
            prompt: "Show that you are a person, then you go back to the app.",
            done: "Done. You are going back to the app.", goBack: "Back to the app",
            failed: "The check did not work.", tryAgain: "Try again",
            noScript: "This page needs JavaScript. Switch it on in your browser and open the page again from the app.",
            unknownApp: .init(
                title: "This app is not known here",
                body: "Go back to the app and try again. If that does not help, tell the people who run it.")),
        providerSignIn: .init(
            returning: .init(title: "One moment, please", body: "You are going back to the app."),
            canceled: .init(
                title: "You are not signed in",
                body: "You ended the sign-in at the provider. You can try again in the app."),
            refused: .init(
                title: "The provider did not sign you in",
                body: "It reported an error, or its answer was not valid. Go back to the app and try again."),
            unreachable: .init(
                title: "The provider cannot be reached",
                body: "Try again in a few minutes, or choose another way to sign in."),
            notOffered: .init(
                title: "This way to sign in is not available", body: "Go back to the app and choose another one."),
            expired: .init(
                title: "This sign-in has ended",
                body: "It took more than ten minutes, or began in another browser. Start again in the app."),
            unknownApp: .init(
                title: "This app is not set up for this page",
                body: "The people who run the app have to register its address here."),
            noWindow: "The window of the app is closed. Close this one too, and start again in the app."),
        passkeyPage: .init(
            title: "Passkeys",
            identifier: "E-mail address or phone number",
            signIn: "Sign in with a passkey",
            password: "Password",
            signInWithPassword: "Sign in with the password",
            signUpBody: "No account yet? You need neither an address nor a password.",
            signUp: "Create an account with a passkey alone",
            signedInAs: "You are signed in as:",
            list: "Your passkeys",
            noPasskeys: "The account has no passkey.",
            name: "Name of the passkey",
            rename: "Rename",
            remove: "Remove",
            add: "Add a passkey",
            signOut: "Sign out",
            noScript: "This page needs JavaScript. Switch it on in your browser and load the page again.",
            removalQuestion:
                "Remove this passkey? You can no longer sign in with it, only in the other ways of your account.",
            cancel: "Cancel",
            messages: .init(
                added: "The passkey has been added.",
                renamed: "The passkey has a new name.",
                removed: "The passkey has been removed. It cannot sign in any more.",
                canceled: "You or the browser ended the request. Try again.",
                exists: "Your password manager already has a passkey for this account.",
                unknown: "No account has this passkey any more. Choose another one.",
                timedOut: "That took too long. Try again.",
                secondFactor: "This account needs a second step. Sign in with the application instead.",
                invalidCredentials: "The e-mail address or the password is wrong.",
                lastMethod: "This is the only way to sign in to your account. Add another one first.",
                failed: "That did not work.",
                unsupported: "This browser does not support passkeys.")),
        hostedSignIn: .init(
            title: "Sign in",
            signUpTitle: "Create an account",
            toContinue: { "to continue to \($0)" },
            email: "E-mail address",
            newHere: "New here?",
            createAccount: "Create an account",
            haveAccount: "Do you have an account?",
            enterPassword: "Enter your password",
            showPassword: "Show password",
            forgotten: "Forgot your password?",
            emailLink: "Send me a link by e-mail",
            emailCode: "Send me a code by e-mail",
            otherAccount: "Use another account",
            or: "or",
            continueWith: { "Continue with \($0)" },
            invalidEmail: "Enter an address such as name@example.com.",
            missingPassword: "Enter your password.",
            name: "Your name (optional)",
            emailHasAccount: "This address has an account already. Sign in instead.",
            otherMethod: "This address has an account already. Sign in as you did before.",
            resetSent: "If an account has this address, a link for a new password is on its way.",
            linkSent: "A link to sign in is on its way. Open it in this browser.",
            linkEmail: "The address that the link was sent to.",
            chooseFactor: "Confirm that it is you",
            appCode: "Enter the code from your authenticator app",
            smsCode: "Enter the code from your text message",
            smsSentTo: { "We sent it to \($0)." },
            enterEmailCode: "Enter the code from your e-mail",
            emailSentTo: { "We sent it to \($0)." },
            codeLabel: "Six-digit code",
            confirm: "Confirm",
            wrongCode: "That is not the code. Try again.",
            codeExpired: "The code has expired. Send a new one.",
            sendAgain: "Send a new code",
            useApp: "Use an authenticator app",
            useSMS: { "Send a text message to \($0)" },
            useRecoveryCode: "Use a recovery code",
            enterRecoveryCode: "Enter a recovery code",
            recoveryCode: "Recovery code",
            recoveryCodeHint: "Each code works once.",
            verifyFirst: .init(
                title: "Verify your address first",
                body:
                    "Your account needs a second step at sign-in. You can set it up as soon as your address is verified."
            ),
            sendEmail: "Send e-mail",
            verificationSent: "An e-mail is on its way. Open its link, then continue here.",
            secondStepNeeded: "Your account needs a second step at sign-in.",
            openApp: "Open an app on this device",
            offerPasskey: .init(
                title: "Sign in without a password next time",
                body:
                    "With a passkey, your fingerprint, your face or the lock of your screen is enough."
            ),
            notNow: "Not now",
            startAgain: "Start again",
            signedIn: "You are signed in",
            continueAs: { "Continue as \($0)" },
            signOutEverywhere: "Sign out on all devices",
            signUpClosed: "New accounts cannot be created here. Ask the people who run the application.",
            signedOut: .init(title: "You are signed out", body: "You can close this page."),
            foreignForm: .init(
                title: "That did not come from here",
                body: "The page was open for too long, or cookies are switched off. Go back and try again.")),
        foot: .init(help: "Help", terms: "Terms", privacy: "Privacy"),
        incompleteLink: .init(
            title: "This link is incomplete",
            body: "Part of its address is missing. Copy the whole link from the message into your browser."),
        unknownApplication: .init(
            title: "This link belongs to another application",
            body: "Nobody is registered here under its key. Ask the people who sent it for a new link."),
        invalidLink: .init(
            title: "This link does not work",
            body: "It has been used already, or a newer one was sent. Ask for a new link."),
        expiredLink: .init(title: "This link has expired", body: "Ask for a new one."),
        accountDisabled: .init(
            title: "This account is disabled", body: "Ask the people who run the application to enable it."),
        emailAlreadyInUse: .init(
            title: "This address is taken", body: "Another account has this e-mail address in the meantime."),
        crossSiteForm: .init(
            title: "That did not come from here", body: "Open the link in your e-mail again and use its button."),
        tooManyAttempts: .init(title: "Too many attempts", body: "Wait a while, then try again."),
        unavailable: .init(title: "That did not work", body: "The fault is ours. Try again in a moment."))
}
