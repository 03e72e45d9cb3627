/// What an installation counts for the overview of the console. `name` is its text on the bus and in the table.
package enum ActivityCounter: Hashable, Sendable {
    /// New accounts by the method that created them.
    case signUp(SignInMethod)
    /// Verified first factors. A second factor may be required after one that is accepted.
    case signIn(SignInMethod, Outcome)
    case secondFactor(SecondFactorMethod, Outcome)
    /// Codes by SMS, with or without the consent of a limit.
    case smsCode(CodeOutcome)
    /// The price of SMS in millionths of the currency of the operator's prices (`LATCHKEY_SMS_PRICES`).
    case smsCostMicros
    /// Messages with a final result.
    case message(Notifier.Channel, Delivery)
    /// HTTP requests of users and backends.
    case request(RequestOutcome)
    /// The same requests by their duration.
    case requestDuration(RequestDuration)

    package enum SignInMethod: String, CaseIterable, Sendable {
        case password, emailLink, emailCode, phone, passkey, provider, anonymous, customToken
    }

    package enum SecondFactorMethod: String, CaseIterable, Sendable {
        case totp, sms, recoveryCode, rememberedDevice
    }

    package enum Outcome: String, CaseIterable, Sendable {
        case accepted
        /// The user sent something wrong, or a rule or a limit forbids it.
        case refused
        /// A process or a server did not work.
        case failed
    }

    package enum CodeOutcome: String, CaseIterable, Sendable {
        case sent
        /// By a limit, a budget or a region.
        case refused
    }

    package enum Delivery: String, CaseIterable, Sendable { case delivered, failed }

    package enum RequestOutcome: String, CaseIterable, Sendable {
        /// A status below 400.
        case succeeded
        /// 400 to 499.
        case refused
        /// From 500.
        case failed
    }

    /// Classes of durations, by their upper bounds.
    package enum RequestDuration: String, CaseIterable, Sendable {
        case under5ms, under10ms, under25ms, under50ms, under100ms, under250ms, under500ms, under1s, under2500ms
        case longer

        /// Nil for the class without one.
        package var boundMilliseconds: Int64? {
            switch self {
            case .under5ms: 5
            case .under10ms: 10
            case .under25ms: 25
            case .under50ms: 50
            case .under100ms: 100
            case .under250ms: 250
            case .under500ms: 500
            case .under1s: 1000
            case .under2500ms: 2500
            case .longer: nil
            }
        }

        package init(_ duration: Duration) {
            self =
                Self.allCases.first { entry in
                    entry.boundMilliseconds.map { duration < .milliseconds($0) } ?? true
                } ?? .longer
        }
    }
}

// MARK: - Names

extension ActivityCounter {
    /// The cases without their values. A new one is named by the compiler wherever the counters are listed.
    private enum Kind: String, CaseIterable {
        case signUp, signIn, secondFactor, smsCode, smsCostMicros, message, request, requestDuration

        var counters: [ActivityCounter] {
            switch self {
            case .signUp: SignInMethod.allCases.map { .signUp($0) }
            case .signIn: SignInMethod.allCases.flatMap { method in Outcome.allCases.map { .signIn(method, $0) } }
            case .secondFactor:
                SecondFactorMethod.allCases.flatMap { method in Outcome.allCases.map { .secondFactor(method, $0) } }
            case .smsCode: CodeOutcome.allCases.map { .smsCode($0) }
            case .smsCostMicros: [.smsCostMicros]
            case .message:
                Notifier.Channel.allCases.flatMap { channel in Delivery.allCases.map { .message(channel, $0) } }
            case .request: RequestOutcome.allCases.map { .request($0) }
            case .requestDuration: RequestDuration.allCases.map { .requestDuration($0) }
            }
        }
    }

    private var kind: Kind {
        switch self {
        case .signUp: .signUp
        case .signIn: .signIn
        case .secondFactor: .secondFactor
        case .smsCode: .smsCode
        case .smsCostMicros: .smsCostMicros
        case .message: .message
        case .request: .request
        case .requestDuration: .requestDuration
        }
    }

    /// Every counter: the table has at most as many rows for a project and a time.
    package static let all: [ActivityCounter] = Kind.allCases.flatMap(\.counters)

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// For example `signIn.password.accepted`. A stored name never changes.
    package var name: String {
        let values: [String] =
            switch self {
            case .signUp(let method): [method.rawValue]
            case .signIn(let method, let outcome): [method.rawValue, outcome.rawValue]
            case .secondFactor(let method, let outcome): [method.rawValue, outcome.rawValue]
            case .smsCode(let outcome): [outcome.rawValue]
            case .smsCostMicros: []
            case .message(let channel, let delivery): [channel.rawValue, delivery.rawValue]
            case .request(let outcome): [outcome.rawValue]
            case .requestDuration(let duration): [duration.rawValue]
            }
        return ([kind.rawValue] + values).joined(separator: ".")
    }

    /// - Returns: nil for the name of no counter of this version.
    package init?(name: String) {
        guard let counter = Self.byName[name] else { return nil }
        self = counter
    }
}
