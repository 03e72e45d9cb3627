package import Vocabulary

extension MFASMS {
    /// The app credential of a client (REST 2.7). Every member is optional.
    package struct AppCredential: Codable, Equatable, Sendable {
        package enum ClientType: String, CaseIterable, Codable, Sendable {
            case web = "CLIENT_TYPE_WEB", android = "CLIENT_TYPE_ANDROID", ios = "CLIENT_TYPE_IOS"
        }
        /// The receipt and secret that `StartPushVerification` and its push returned.
        package var deviceReceipt: String?
        package var deviceSecret: Secret<String>?
        /// A token of reCAPTCHA v2, or of the hosted challenge page.
        package var recaptchaToken: Secret<String>?
        /// A token of reCAPTCHA Enterprise; `NO_RECAPTCHA` means that another member has the proof.
        package var captchaResponse: Secret<String>?
        package var playIntegrityToken: Secret<String>?
        package var safetyNetToken: Secret<String>?
        package var clientType: ClientType?
        /// The bundle ID from the client's headers.
        package var bundleID: String?

        package init(
            deviceReceipt: String? = nil, deviceSecret: Secret<String>? = nil, recaptchaToken: Secret<String>? = nil,
            captchaResponse: Secret<String>? = nil, playIntegrityToken: Secret<String>? = nil,
            safetyNetToken: Secret<String>? = nil, clientType: ClientType? = nil, bundleID: String? = nil
        ) {
            self.deviceReceipt = deviceReceipt
            self.deviceSecret = deviceSecret
            self.recaptchaToken = recaptchaToken
            self.captchaResponse = captchaResponse
            self.playIntegrityToken = playIntegrityToken
            self.safetyNetToken = safetyNetToken
            self.clientType = clientType
            self.bundleID = bundleID
        }
    }

    /// Sends a secret to a device by silent push: only the application that the operator has registered can read it
    /// (REST 2.15).
    package struct StartPushVerification: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startPushVerification
        // Each message costs money.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        /// The APNs token, hexadecimal.
        package var deviceToken: Secret<String>?
        package var isSandbox: Bool
        package var bundleID: String?
        package var client: ClientContext

        package init(
            project: ProjectID, deviceToken: Secret<String>?, isSandbox: Bool, bundleID: String?,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.deviceToken = deviceToken
            self.isSandbox = isSandbox
            self.bundleID = bundleID
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var receipt: String
            /// How long the application should wait for the push.
            package var timeoutSeconds: Int

            package init(receipt: String, timeoutSeconds: Int) {
                self.receipt = receipt
                self.timeoutSeconds = timeoutSeconds
            }
        }
    }

    /// A proof-of-work challenge for the browser that shows the challenge page. It costs a user seconds, and an
    /// attacker who requests thousands of messages much more.
    package struct StartWebChallenge: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startWebChallenge
        // A second request gets another challenge, and the first one expires unused.
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID
        package var client: ClientContext

        package init(project: ProjectID, client: ClientContext = .init()) {
            self.project = project
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var challenge: Secret<String>
            /// Required leading zero bits of SHA-256 over the challenge, `:` and the decimal answer.
            package var difficultyBits: Int

            package init(challenge: Secret<String>, difficultyBits: Int) {
                self.challenge = challenge
                self.difficultyBits = difficultyBits
            }
        }
    }

    /// Exchanges the answer to a challenge, or a reCAPTCHA token, for a token that is valid for one message.
    package struct FinishWebChallenge: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.finishWebChallenge
        // Each attempt is counted.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        package var challenge: Secret<String>?
        package var answer: String?
        package var recaptchaToken: Secret<String>?
        /// The application that opened the page: the token is valid only for it.
        package var bundleID: String?
        package var client: ClientContext

        package init(
            project: ProjectID, challenge: Secret<String>? = nil, answer: String? = nil,
            recaptchaToken: Secret<String>? = nil, bundleID: String? = nil, client: ClientContext = .init()
        ) {
            self.project = project
            self.challenge = challenge
            self.answer = answer
            self.recaptchaToken = recaptchaToken
            self.bundleID = bundleID
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var token: Secret<String>

            package init(token: Secret<String>) {
                self.token = token
            }
        }
    }
}
