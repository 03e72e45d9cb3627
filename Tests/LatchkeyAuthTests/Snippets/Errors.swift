import Foundation
import LatchkeyAuth

/// Handling errors.
@MainActor
struct Errors {
    let screen = Screen()

    // Snippet: the code of an error by its number
    func message(of error: any Error) -> String {
        if let errCode = AuthErrorCode(rawValue: error._code) {
            switch errCode {
            case .emailAlreadyInUse: return "in use"
            case .invalidEmail: return "invalid"
            case .weakPassword: return "weak"
            default: return error.localizedDescription
            }
        }
        return "unknown"
    }

    // Snippet: the code by its nested name
    func isNetworkError(_ error: any Error) -> Bool {
        let nsError = error as NSError
        guard let code = AuthErrorCode.Code(rawValue: nsError.code) else { return false }
        return code == .networkError || AuthErrorCode(_nsError: nsError).code == .networkError
    }

    // Snippet: switch over an optional code
    func advice(_ error: any Error) -> String {
        switch AuthErrorCode(rawValue: (error as NSError).code) {
        case .wrongPassword: "try again"
        case .userNotFound, .userDisabled: "ask the administrator"
        case .some(.tooManyRequests): "wait"
        case .none: "unknown"
        default: "later"
        }
    }

    // Snippet: patterns on errors
    func signIn(email: String, password: String) async -> String {
        do {
            try await Auth.auth().signIn(withEmail: email, password: password)
            return "done"
        } catch AuthErrorCode.invalidCredential {
            return "wrong"
        } catch let error as AuthErrorCode where error.code == .userDisabled {
            return "disabled"
        } catch {
            switch error {
            case AuthErrorCode.networkError: return "offline"
            case AuthErrorCode.tooManyRequests: return "wait"
            default: return error.localizedDescription
            }
        }
    }

    // Snippet: the domain and the keys
    func details(_ error: NSError) -> String {
        guard error.domain == AuthErrorDomain, AuthErrors.domain == AuthErrorDomain else { return "" }
        let name = error.userInfo[AuthErrorUserInfoNameKey] as? String
        let email = error.userInfo[AuthErrors.userInfoEmailKey] as? String ?? ""
        let credential = error.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential
        return (name ?? "") + email + (credential?.provider ?? "")
    }

    // Snippet: an address that another provider uses
    func resolveCollision(_ error: any Error, password: String) async throws {
        let nsError = error as NSError
        guard nsError.code == AuthErrorCode.accountExistsWithDifferentCredential.rawValue,
            let email = nsError.userInfo[AuthErrorUserInfoEmailKey] as? String,
            let pending = nsError.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential
        else { throw error }
        let result = try await Auth.auth().signIn(withEmail: email, password: password)
        try await result.user.link(with: pending)
    }
}
