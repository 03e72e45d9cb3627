import Contracts
import Crypto
import Vocabulary

/// One of the accounts with which a database is filled for measurements: with its sessions, factors and audit records, as
/// if its owner had signed up at some time of the last month. Its number decides everything but the times.
struct SampleAccount: Sendable {
    /// The month, of which each account has its moment in the order of their numbers.
    struct Span: Sendable {
        var end: Moment
        /// Accounts in all, at least 1.
        var count: Int

        static let length = Duration.seconds(30 * 24 * 60 * 60)

        func moment(of number: Int) -> Moment {
            end - Self.length + .milliseconds(Self.length.components.seconds * 1000 / Int64(count) * Int64(number))
        }
    }

    /// Of each account that has an authenticator app: 20 bytes (RFC 4226 §4 R6).
    static let secret = Array("secret of every app ".utf8)
    private static let userAgents = ["Firefox (Windows)", "Safari (iPhone)", "Chrome (Android)"]

    let stored: StoredAccount
    private(set) var sessions: [Session] = []
    private(set) var entries: [AuditEntry] = []
    let client: ClientContext

    /// - Parameter passwordRecord: of each account with a password.
    init(_ number: Int, in realm: Realm, passwordRecord: String, span: Span) {
        var bytes = SampleBytes(of: number)
        let id = AccountID { bytes.next($0) }
        let now = span.moment(of: number)
        var account = Account(id: id, realm: realm, validSince: now.timestamp, createdAt: now)
        account.recordSignIn(at: now)
        let email = EmailAddress("\(String(id.rawValue.prefix(4)).asciiLowercased)\(number)@bench.example")
        let provider: String
        switch number % 20 {
        case 0..<12:
            provider = "password"
            account.email = email
            account.passwordChangedAt = now
        case 12..<18:
            provider = "google.com"
            account.email = email
            account.displayName = "User \(number)"
            account.providers = [
                ProviderLink(
                    providerID: provider,
                    providerAccountID: String(100_000_000_000_000_000_000 as UInt128 + UInt128(number)),
                    email: email?.rawValue, displayName: account.displayName,
                    photoURL: "https://photos.example/\(id.rawValue)")
            ]
        case 18:
            provider = "phone"
            account.phoneNumber = PhoneNumber("+999\(10_000_000_000 + number)")
        default: provider = AuthenticationContext.anonymousProvider
        }
        account.emailVerified = account.email != nil && number % 4 != 3
        if account.emailVerified, let kind = Self.factor(of: number) {
            account.secondFactors = [
                SecondFactor(id: FactorID { bytes.next($0) }, kind: kind, displayName: "app", enrolledAt: now)
            ]
        }
        stored = StoredAccount(
            account: account, passwordRecord: provider == "password" ? passwordRecord : nil,
            linkTimes: account.providers.isEmpty ? [:] : [provider: now])
        let network = bytes.next(3).map(String.init).joined(separator: ".")
        client = ClientContext(ipAddress: "10.\(network)", userAgent: Self.userAgents[number % 3])
        enter(.accountCreated, at: now, &bytes)
        if account.email != nil, account.providers.isEmpty { enter(.actionCodeIssued, at: now, &bytes) }
        if !account.secondFactors.isEmpty { enter(.factorEnrolled, at: now, &bytes) }
        // Every fourth has a second device.
        for device in 0..<(number % 4 == 0 ? 2 : 1) {
            let openedAt = min(now + .seconds(device * 3600), span.end)
            open(provider, of: device, at: openedAt, until: span.end, &bytes)
            // The first session is part of the sign-up.
            if device > 0 { enter(.signIn, at: openedAt, &bytes) }
        }
    }

    /// Only accounts with a verified address get it.
    private static func factor(of number: Int) -> SecondFactor.Kind? {
        switch number % 10 {
        case 1, 6: .totp
        case 2: PhoneNumber("+998\(10_000_000_000 + number)").map { .phone($0) }
        default: nil
        }
    }

    private mutating func open(
        _ provider: String, of device: Int, at time: Moment, until end: Moment, _ bytes: inout SampleBytes
    ) {
        let account = stored.account
        let context = AuthenticationContext(
            authenticatedAt: time.timestamp, signInProvider: provider,
            secondFactor: account.secondFactors.first.map { .init($0) })
        var (session, token) = Session.open(
            for: account.id, in: account.realm, authentication: context, clientAddress: client.ipAddress,
            device: client.userAgent, at: time
        ) { bytes.next($0) }
        // One refresh of a session that is older than an ID token.
        let refreshedAt = min(time + .seconds(3600 * (1 + 24 * Int64(device))), end)
        if refreshedAt > time { _ = session.redeem(token, at: refreshedAt, salt: bytes.next(32)) }
        sessions.append(session)
    }

    private mutating func enter(_ action: AuditEntry.Action, at time: Moment, _ bytes: inout SampleBytes) {
        let id = stored.account.id
        entries.append(
            AuditEntry(
                at: time, realm: stored.account.realm, action: action, actor: .account(id), accountID: id,
                ipAddress: client.ipAddress, traceID: bytes.next(16).hexadecimal))
    }
}

/// Bytes that look random and follow from a number, so that an interrupted fill goes on with the same accounts.
private struct SampleBytes {
    private let seed: [UInt8]
    private var block = 0
    private var rest: ArraySlice<UInt8> = []

    init(of number: Int) {
        seed = Array("sample account \(number)/".utf8)
    }

    mutating func next(_ count: Int) -> [UInt8] {
        while rest.count < count {
            rest += SHA2.sha256(seed + String(block).utf8)
            block += 1
        }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
