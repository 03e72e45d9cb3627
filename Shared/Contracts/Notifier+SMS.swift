package import Vocabulary

extension Notifier {
    /// What a code is for. On the wire and in the history by these names.
    package enum SMSPurpose: String, CaseIterable, Codable, Sendable {
        case phoneSignIn, secondFactorEnrollment, secondFactorSignIn

        /// How long after its acceptance a message is still worth sending: as long as its code is good (SM2).
        package var lifetime: Duration { .seconds(5 * 60) }
    }

    /// Accepts a text message. The reply means that it is stored, not that it was sent. Whether it may be sent at all is
    /// for mfa-sms to judge. Refusals: `invalidRequest` for a code that is not four to eight digits or a name that is too
    /// long; `overloaded`.
    package struct SendSMS: BusRequest, Equatable {
        package static let operation = Notifier.Operation.sendSMS
        package static let delivery = Delivery.deduplicated
        package var realm: Realm
        package var recipient: PhoneNumber
        /// ISO 3166-1 alpha-2, as mfa-sms found it: providers, ways and prices go by it. Absent: unknown.
        package var region: String?
        package var purpose: SMSPurpose
        package var code: Secret<String>
        /// BCP 47, as the client asked for it; then `defaultLocale`, then English.
        package var locale: String?
        package var defaultLocale: String?
        /// How the project calls itself.
        package var appName: String
        /// The host that the code is for: the last line of the text binds it to that (`@example.com #123456`).
        package var originDomain: String?
        /// The project's own text, with `%APP_NAME%` and `%LOGIN_CODE%`. Absent: ours, translated.
        package var template: String?

        package init(
            realm: Realm, recipient: PhoneNumber, region: String? = nil, purpose: SMSPurpose, code: Secret<String>,
            locale: String? = nil, defaultLocale: String? = nil, appName: String, originDomain: String? = nil,
            template: String? = nil
        ) {
            self.realm = realm
            self.recipient = recipient
            self.region = region
            self.purpose = purpose
            self.code = code
            self.locale = locale
            self.defaultLocale = defaultLocale
            self.appName = appName
            self.originDomain = originDomain
            self.template = template
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var messageID: MessageID

            package init(messageID: MessageID) {
                self.messageID = messageID
            }
        }
    }

    /// Accepts a silent push that carries the secret of a device check (REST 2.15). Refusals: `invalidRequest` for a
    /// device token that is not hexadecimal; `unavailable` where no push service is configured; `overloaded`.
    package struct SendPush: BusRequest, Equatable {
        package static let operation = Notifier.Operation.sendPush
        package static let delivery = Delivery.deduplicated
        package var project: ProjectID
        /// Of APNs, hexadecimal.
        package var deviceToken: Secret<String>
        package var isSandbox: Bool
        /// The bundle id of the application: the topic.
        package var bundleID: String
        package var receipt: String
        package var secret: Secret<String>

        package init(
            project: ProjectID, deviceToken: Secret<String>, isSandbox: Bool, bundleID: String, receipt: String,
            secret: Secret<String>
        ) {
            self.project = project
            self.deviceToken = deviceToken
            self.isSandbox = isSandbox
            self.bundleID = bundleID
            self.receipt = receipt
            self.secret = secret
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var messageID: MessageID

            package init(messageID: MessageID) {
                self.messageID = messageID
            }
        }
    }

    /// What a provider says of a message that it has taken: as it came over HTTP, to be checked by its signature.
    /// Refusals: `invalidRequest` for what no provider of ours has signed.
    package struct RecordReceipt: BusRequest, Equatable {
        package static let operation = Notifier.Operation.recordReceipt
        // Recorded again, a receipt changes nothing.
        package static let delivery = Delivery.idempotent
        /// `twilio`, `vonage`, `webhook`.
        package var provider: String
        /// Path and query as the provider called them.
        package var target: String
        package var contentType: String?
        package var signature: String?
        package var body: String

        package init(
            provider: String, target: String, contentType: String? = nil, signature: String? = nil, body: String
        ) {
            self.provider = provider
            self.target = target
            self.contentType = contentType
            self.signature = signature
            self.body = body
        }

        package typealias Reply = EmptyReply
    }
}
