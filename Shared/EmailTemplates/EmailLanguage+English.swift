import Contracts
import Vocabulary

extension EmailLanguage {
    static let english = EmailLanguage(
        language: .english,
        greeting: "Hello %DISPLAY_NAME%,",
        genericGreeting: "Hello,",
        linkHint: "If the button does not work, copy this address into your browser:",
        farewell: "Your %APP_NAME% team",
        support: "Questions? %SUPPORT_CONTACT%",
        genericFactorName: "a second factor",
        hiddenPasskeyName: "not shown",
        unknownClient: "unknown",
        methods: .init(
            password: "password", emailLink: "link by e-mail", phoneNumber: "phone number", passkey: "passkey",
            none: "none",
            separator: ", ")
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "Verify your email for %APP_NAME%",
                lead: "Follow this link to verify your email address %EMAIL%.",
                button: "Verify email address",
                closing: "If you didn’t ask to verify this address, you can ignore this email.")
        case .resetPassword:
            EmailText(
                subject: "Reset your password for %APP_NAME%",
                lead: "Follow this link to reset the %APP_NAME% password for your account %EMAIL%.",
                button: "Reset password",
                closing: "If you didn’t ask to reset your password, you can ignore this email.")
        case .emailSignIn:
            EmailText(
                subject: "Sign in to %APP_NAME%",
                lead:
                    "We received a request to sign in to %APP_NAME% with the address %EMAIL%. Follow this link to sign in.",
                button: "Sign in",
                closing:
                    "Whoever has the link can sign in as you: do not forward this email. If you didn’t ask for it, "
                    + "you can ignore it.")
        case .emailSignInCode:
            EmailText(
                subject: "Your sign-in code for %APP_NAME%",
                lead:
                    "We received a request to sign in to %APP_NAME% with the address %EMAIL%. Enter this code where you asked for it. It is valid for 10 minutes.",
                closing:
                    "Whoever has the code can sign in as you: give it to nobody, not even to the %APP_NAME% team. If this wasn’t you, you can ignore this email."
            )
        case .emailVerificationCode:
            EmailText(
                subject: "Your verification code for %APP_NAME%",
                lead:
                    "Enter this code where you asked for it, to verify your email address %EMAIL%. It is valid for 10 minutes.",
                closing:
                    "Give the code to nobody: it would add your address to the account of somebody else. If this wasn’t you, you can ignore this email."
            )
        case .verifyAndChangeEmail:
            EmailText(
                subject: "Verify your new email for %APP_NAME%",
                lead:
                    "Follow this link to sign in with %NEW_EMAIL% from now on. The account that asked for this has the address %ACCOUNT% now, and these ways to sign in: %SIGN_IN_METHODS%.",
                button: "Verify new address",
                closing:
                    "If this is not your account, follow the link and choose “This was not me”.")
        case .emailChanged:
            EmailText(
                subject: "Your sign-in email was changed for %APP_NAME%",
                lead: "The address you sign in with was changed to %NEW_EMAIL%.",
                securityAdvice: "If this wasn’t you, follow this link to take the change back.",
                button: "Take the change back",
                closing: "If this wasn’t you, contact the %APP_NAME% team at once.")
        case .emailRemoved:
            EmailText(
                subject: "Your sign-in email was removed for %APP_NAME%",
                lead: "The address %EMAIL% was removed from your account. You can no longer sign in with it.",
                securityAdvice: "If this wasn’t you, follow this link to take the change back.",
                button: "Take the change back",
                closing: "If this wasn’t you, contact the %APP_NAME% team at once.")
        case .secondFactorAdded:
            EmailText(
                subject: "You’ve added 2-step verification to your %APP_NAME% account",
                lead: "Your account %EMAIL% now asks for a second factor: %SECOND_FACTOR%.",
                securityAdvice: "If this wasn’t you, follow this link to remove it.",
                button: "Remove second factor",
                closing: "If this wasn’t you, reset your password at once.")
        case .secondFactorRemoved:
            EmailText(
                subject: "A second factor was removed from your %APP_NAME% account",
                lead: "Your account %EMAIL% no longer asks for this second factor: %SECOND_FACTOR%.",
                securityAdvice: "If this wasn’t you, follow this link to secure your account.",
                button: "Secure account",
                closing: "If this wasn’t you, reset your password at once.")
        case .passwordChanged:
            EmailText(
                subject: "Your %APP_NAME% password was changed",
                lead: "The password of your account %EMAIL% was changed.",
                securityAdvice: "If this wasn’t you, follow this link to set a new one.",
                button: "Reset password",
                closing: "If this wasn’t you, reset your password at once.")
        case .recoveryCodeUsed:
            EmailText(
                subject: "A recovery code was used for your %APP_NAME% account",
                lead:
                    "Somebody signed in to your account %EMAIL% with a recovery code in place of the second factor. The code can’t be used again.",
                securityAdvice: "If this wasn’t you, follow this link to secure your account.",
                button: "Secure account",
                closing: "If this wasn’t you, reset your password at once.")
        case .passkeyAdded:
            EmailText(
                subject: "A passkey was added to your %APP_NAME% account",
                lead:
                    "A passkey was added to your account %EMAIL%. You can use it to sign in without a password. Name of the passkey: %PASSKEY%",
                securityAdvice: "If this wasn’t you, follow this link to remove it.",
                button: "Remove passkey",
                closing: "If this wasn’t you, contact the %APP_NAME% team at once.")
        case .passkeyRemoved:
            EmailText(
                subject: "A passkey was removed from your %APP_NAME% account",
                lead:
                    "A passkey was removed from your account %EMAIL%. You can no longer sign in with it. Name of the passkey: %PASSKEY%",
                securityAdvice: "If this wasn’t you, follow this link to secure your account.",
                button: "Secure account",
                closing: "If this wasn’t you, contact the %APP_NAME% team at once.")
        case .providerLinked:
            EmailText(
                subject: "An identity provider was added to your %APP_NAME% account",
                lead:
                    "An identity provider was linked to your account %EMAIL%. You can sign in with your account there. Provider: %PROVIDER%",
                securityAdvice: "If this wasn’t you, follow this link to secure your account.",
                button: "Secure account",
                closing: "If this wasn’t you, contact the %APP_NAME% team at once.")
        case .providerRefused:
            EmailText(
                subject: "Somebody could not sign in to your %APP_NAME% account",
                lead:
                    "Somebody signed in at an identity provider with your address %EMAIL%, but not as the person who is linked to your account there. They got no access to your account. Provider: %PROVIDER%",
                securityAdvice:
                    "If this was you, follow this link, sign in in another way and link the provider again.",
                button: "Open the application",
                closing:
                    "If this was you, for example with a new account at the provider, sign in in another way and link the provider again. If this wasn’t you, somebody else may have your address now."
            )
        case .newSignIn:
            EmailText(
                subject: "New sign-in to your %APP_NAME% account",
                lead:
                    "Someone signed in to your account %EMAIL% with a device and from a network that are new for it. Time: %TIME%. Device: %DEVICE%. Network: %NETWORK%. If this was you, there is nothing to do.",
                securityAdvice:
                    "If this wasn’t you, follow this link to set a new password. All sessions of the account end then.",
                button: "Reset password",
                closing:
                    "If this wasn’t you, end the session in your account and contact the %APP_NAME% team immediately.")
        case .deletionScheduled:
            EmailText(
                subject: "Your %APP_NAME% account will be deleted",
                lead:
                    "The account %EMAIL% was deleted on its account page, and all its sessions have ended. It is removed for good at this time: %TIME%. Until then you can restore it by signing in.",
                securityAdvice:
                    "If you want to keep the account, or if this wasn’t you, follow this link and sign in.",
                button: "Restore account",
                closing: "If this wasn’t you, contact the %APP_NAME% team at once.")
        }
    }
}
