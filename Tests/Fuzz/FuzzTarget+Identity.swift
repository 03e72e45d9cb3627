import Contracts
import Crypto
import FoundationEssentials
import JSON
import Vocabulary

@testable import IdentityService
@testable import JOSE

extension FuzzTarget {
    static func readRefreshToken(_ text: String) throws {
        guard let token = RefreshToken(text) else { return }
        try demand(RefreshToken(token.text) == token, "a refresh token survives being written")
        let salt = [UInt8](repeating: 7, count: 32)
        for generation in [0, 1, token.generation, token.nextGeneration, .max] {
            var session = Session.open(
                for: AccountID("ada"), in: realm,
                authentication: .init(authenticatedAt: now.timestamp, signInProvider: "password"),
                at: now, randomBytes: { [UInt8](repeating: 1, count: $0) }
            ).0
            session.generation = generation
            session.currentHash = token.hash
            session.previousHash = token.hash
            session.successorSalt = salt
            _ = session.redeem(token, at: now, salt: salt)
        }
    }

    static func readPassword(_ text: String) throws {
        guard let password = Password(text) else { return }
        try demand(password.bytes.count <= Password.maximumBytes, "a password is bounded after normalization")
        let again = Password(String(decoding: password.bytes, as: UTF8.self))
        try demand(again?.bytes == password.bytes, "the normal form of a password is its own")
        _ = (password.length, password.folded, password.contains(where: \.isAlphabetic))
    }

    /// Pending credentials and the other secrets that clients send.
    static func readPendingCredential(_ text: String) throws {
        if let credential = PendingCredential(text) {
            try demand(PendingCredential(credential.text) == credential, "a credential survives being written")
        }
        if let proof = TemporaryProof(text) {
            try demand(TemporaryProof(proof.text) == proof, "a proof survives being written")
        }
        if let code = ActionCode.Text(text) {
            try demand(ActionCode.Text(code.text) == code, "an action code survives being written")
        }
        if let code = RecoveryCode(text) {
            try demand(RecoveryCode(code.text) == code, "a recovery code survives being written")
        }
        if let token = AccessToken(text) {
            try demand(AccessToken(token.text) == token, "an access token survives being written")
        }
    }

    /// The input as a token, and as the claims of a token.
    private static func tokens(_ text: String) -> [String] { [text, JWT.unsigned(claims: Data(text.utf8))] }

    /// The input as claims, and the claims of the token in it.
    private static func payloads(_ text: String) -> [Data] {
        tokens(text).compactMap { (try? UnverifiedJWT($0))?.claims } + [Data(text.utf8)]
    }

    static func readIDToken(_ text: String) {
        for token in tokens(text) {
            _ = try? UnverifiedJWT(token).claims(as: RegisteredClaims.self)
        }
        for payload in payloads(text) {
            guard let claims = try? IDTokenClaims(payload: payload) else { continue }
            _ = try? claims.check(for: realm, at: now.timestamp)
            let principal = Principal(
                accountID: claims.accountID, realm: realm, issuedAt: claims.issuedAt,
                authenticatedAt: claims.authentication.authenticatedAt,
                signInProvider: claims.authentication.signInProvider)
            _ = try? principal.requireRecentSignIn(at: now)
            _ = Moment(claims.expiresAt) + .seconds(3600)
        }
    }

    static func readSessionCookie(_ text: String) {
        for token in tokens(text) {
            guard let claims = try? IDTokenIssuer.payload(of: token) else { continue }
            _ = try? SessionCookie.payload(
                from: claims, project: realm.project, issuedAt: now.timestamp, lifetimeSeconds: 300)
        }
    }

    static func readCustomToken(_ text: String) {
        for token in tokens(text) {
            guard let unverified = try? UnverifiedJWT(token),
                let payload = try? ServiceAccountTokenVerifier.claims(of: unverified)
            else { continue }
            _ = try? CustomTokenClaims(payload)
        }
    }

    static func readAssertion(_ text: String) {
        for token in tokens(text) {
            guard let unverified = try? UnverifiedJWT(token),
                let claims = try? ServiceAccountTokenVerifier.claims(of: unverified)
            else { continue }
            _ = try? ServiceAccountTokenVerifier.check(claims, audiences: ["a"], at: now.timestamp)
            if case .string(let scope)? = claims["scope"] { _ = try? AccessGrant.permissions(of: scope) }
        }
    }

    /// The input as the response of a blocking function, with status 200 and with another.
    static func readBlockingFunctionResponse(_ input: [UInt8]) throws {
        let error = BlockingFunctionError(status: 500, body: Data(input))
        try demand(
            error.text.utf8.count <= BlockingFunctionError.maximumTextBytes + 100, "the text of an error is bounded")
        for event in BlockingFunctionEvent.allCases {
            guard let changes = try? BlockingFunctionChanges(responseBody: Data(input), to: event) else { continue }
            var stored = StoredAccount(id: AccountID("ada"), in: realm, at: now)
            var authentication = AuthenticationContext(
                authenticatedAt: now.timestamp, signInProvider: "custom", claims: #"{"a":1}"#)
            guard (try? changes.apply(to: &stored, &authentication)) != nil else { continue }
            for text in [stored.account.customClaims, authentication.claims] {
                guard let text else { continue }
                try demand((try? CustomClaims.parse(text)) != nil, "accepted claims can be parsed")
            }
            _ = try IDTokenClaims.payload(
                for: stored.account, authentication: authentication, issuedAt: now.timestamp)
        }
    }

    /// The picture that an administrator gives as logo.
    static func readLogo(_ input: [UInt8]) throws {
        guard let image = try? LogoImage(input) else { return }
        try demand(
            LogoImage.sides.contains(image.width) && LogoImage.sides.contains(image.height)
                && image.bytes.count <= LogoImage.maximumBytes, "a logo is bounded")
        try demand((try? LogoImage(image.bytes + [0])) == nil, "nothing follows a picture")
    }

    static func readContinueURL(_ text: String) throws {
        let settings = Identity.ActionSettings(continueURL: text, isHandledInApp: true, linkDomain: text)
        _ = try? settings.checked(by: .initial(isDev: true, apiKey: "key"), isDev: true)
        guard let url = WebURL(text) else { return }
        try demand(WebURL(url.text) == url, "a URL is its own form")
        if let longer = WebURL(url.appending([("a", text)])) {
            try demand(longer.host == url.host, "a longer query leads to the same host")
        }
    }

    /// The text as a token of a device, and a valid token of which the text changes bits.
    static func checkDeviceToken(_ text: String) throws {
        let (account, key) = (AccountID("ada"), [UInt8](repeating: 9, count: 32))
        func isValid(_ text: String, _ account: AccountID) -> Bool {
            DeviceToken(text, of: account, in: realm, at: now.timestamp, key: key) != nil
        }
        let session = SessionID(bytes: [UInt8](repeating: 1, count: SessionID.byteCount))
        let own = DeviceToken(of: account, in: realm, session: session, at: now.timestamp, key: key)
        try demand(isValid(own.text, account), "an issued token is valid")
        for text in [text, own.text] {
            try demand(!isValid(text, AccountID("bob")), "a device token belongs to one account")
        }
        guard let bytes = Base64URL.decode(own.text) else { return }
        let changed = zip(bytes, Array(text.utf8) + [UInt8](repeating: 0, count: bytes.count)).map { $0 ^ $1 }
        try demand(
            changed == bytes || !isValid(Base64URL.encode(changed), account), "no bit of a device token can be changed")
    }

    static func readCode(ofLink text: String) { _ = ActionLink.code(in: text) }
}
