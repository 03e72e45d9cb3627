#if canImport(AuthenticationServices) && !os(watchOS)
    public import AuthenticationServices
    internal import Foundation

    // Apple's systems only: this file is not compiled on Linux.

    extension CredentialRequest {
        /// The requests for an `ASAuthorizationController`.
        public var platformRequests: [ASAuthorizationRequest] {
            kinds.map { kind in
                switch kind {
                case .passkey: return passkey.platformRequest
                case .password: return ASAuthorizationPasswordProvider().createRequest()
                case .apple:
                    let request = ASAuthorizationAppleIDProvider().createRequest()
                    request.requestedScopes = [.fullName, .email]
                    request.nonce = hashedNonce
                    return request
                }
            }
        }

        /// Starts a controller with ``platformRequests``, whose delegate and presentation context the application has
        /// set. iOS and visionOS know every presentation; the other systems always show the sheet.
        @MainActor
        public func perform(with controller: ASAuthorizationController) {
            #if os(iOS) || os(visionOS)
                switch presentation {
                case .autoFill: controller.performAutoFillAssistedRequests()
                case .sheet: controller.performRequests()
                case .sheetIfAvailable: controller.performRequests(options: .preferImmediatelyAvailableCredentials)
                }
            #else
                controller.performRequests()
            #endif
        }

        /// The credential of `authorizationController(controller:didCompleteWithAuthorization:)`.
        /// - Returns: nil for a kind that the request does not contain.
        public func credential(of authorization: ASAuthorization) -> CombinedCredential? {
            switch authorization.credential {
            case let passkey as ASAuthorizationPlatformPublicKeyCredentialAssertion:
                .passkey(PasskeyAssertion(passkey))
            case let password as ASPasswordCredential:
                .password(email: password.user, password: password.password)
            case let apple as ASAuthorizationAppleIDCredential:
                apple.identityToken.map {
                    .apple(
                        idToken: String(decoding: $0, as: UTF8.self), rawNonce: rawNonce, fullName: apple.fullName)
                }
            default: nil
            }
        }
    }
#endif
