public import Foundation

extension Auth {
    /// The token of the Apple Push Notification service. An assignment has the type
    /// ``AuthAPNSTokenType/unknown``. Without a token the library shows a page to verify the application.
    public var apnsToken: Data? {
        get { pushInbox.token?.bytes }
        set { pushInbox.token = newValue.map { APNSToken(bytes: $0, type: .unknown) } }
    }

    /// Passes the token that `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)` has received.
    public func setAPNSToken(_ token: Data, type: AuthAPNSTokenType) {
        pushInbox.token = APNSToken(bytes: token, type: type)
    }

    /// Passes a notification that `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)` has received.
    /// - Returns: whether it belongs to app verification. The application ignores it then.
    public func canHandleNotification(_ userInfo: [AnyHashable: Any]) -> Bool { pushInbox.accept(userInfo) }

    /// Sends a request with a credential of the application (REST 2.7, 2.15). A credential that the server refuses is
    /// fetched once more.
    /// - Throws: `missingAppCredential`, `invalidAppCredential`, `captchaCheckFailed`, `missingIosBundleID`,
    ///   `missingClientIdentifier`; `notificationNotForwarded` if the push has not arrived, and no page can be shown;
    ///   errors of the page, as in ``OAuthProvider/credential(with:)``, with
    ///   `appVerificationUserInteractionFailure`; errors of `send`.
    func withAppCredential<Value: Sendable>(
        _ uiDelegate: (any AuthUIDelegate)?, _ send: @Sendable (AppCredential) async throws -> Value
    ) async throws -> Value {
        let systemDelegate = await Self.systemUIDelegate
        let delegate = uiDelegate ?? systemDelegate
        var flow = AppVerificationFlow(
            .init(
                isDisabledForTesting: settings?.isAppVerificationDisabledForTesting ?? false,
                cachedPair: pushInbox.cachedPair,
                token: pushInbox.token, hasPage: delegate != nil))
        var step = flow.start()
        while true {
            switch step {
            case .send(let credential):
                do {
                    return try await send(credential)
                } catch let error as AuthErrorCode where error.code == .invalidAppCredential {
                    pushInbox.deleteCachedPair(receipt: credential.iosReceipt)
                    step = flow.credentialRefused(credential, error)
                }
            case .requestPush(let token):
                do {
                    step = flow.pushRequested(try await server.send(VerifyIosClientRequest(token)))
                } catch let error as AuthErrorCode {
                    step = flow.pushRefused(error)
                }
            case .awaitPush(let receipt, let timeout):
                let secret = await pushInbox.secret(of: receipt, timeout: timeout, clock: clock)
                try Task.checkCancellation()
                if let secret { pushInbox.cache(PushPair(receipt: receipt, secret: secret)) }
                step = flow.pushEnded(receipt: receipt, secret: secret)
            case .showPage:
                guard let delegate else { throw AuthErrorCode(.webInternalError) }
                step = .send(AppCredential(recaptchaToken: try await show(.appVerification, by: delegate)))
            case .fail(let error): throw error
            }
        }
    }
}

extension VerifyIosClientRequest {
    init(_ token: APNSToken) {
        // `try?`: an application without a readable profile is one of the App Store.
        let profile = Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision")
            .flatMap { try? Data(contentsOf: $0) }
        self.init(appToken: token.text, isSandbox: token.isSandbox(profile: profile))
    }
}
