import Contracts
import SQL
import Vocabulary

/// The authorization codes, by hash.
enum AuthorizationCodeTable: String, AccountKeyTable {
    case project, tenant, challenge, nonce
    case codeHash = "code_hash"
    case accountID = "account_id"
    /// The sign-in on the page.
    case signInID = "sign_in_id"
    case applicationID = "application_id"
    case redirectURL = "redirect_url"
    case createdAt = "created_at"
    /// Null until the code is presented.
    case endedAt = "ended_at"
    /// Null unless the code was redeemed.
    case openedSessionID = "opened_session_id"

    static let table = "authorization_codes"
    static let key = [codeHash]
    static let expiry = SQLExpiry.after(Self.createdAt, lifetime: AuthorizationCode.memory)

    static let insertion = insert()
    static let byKey = select()
    static let end = update([endedAt, openedSessionID])
}

// MARK: - Records and rows

extension AuthorizationCode {
    /// The columns of a code that is issued.
    var columns: SQLRecord<AuthorizationCodeTable> {
        SQLRecord(accountID, in: realm) + [
            .codeHash: hash, .signInID: signInID.bytes, .applicationID: application, .redirectURL: redirectURL,
            .challenge: challenge.text, .nonce: nonce, .createdAt: createdAt, .endedAt: nil, .openedSessionID: nil,
        ]
    }

    init(_ row: SQLTableRow<AuthorizationCodeTable>, hash: [UInt8]) throws {
        let endedAt: Moment? = try row.getIfPresent(.endedAt)
        let opened: [UInt8]? = try row.getIfPresent(.openedSessionID)
        self.init(
            hash: hash, realm: try row.realm(), accountID: try row.get(.accountID),
            signInID: SessionID(bytes: try row.get(.signInID)), application: try row.get(.applicationID),
            redirectURL: try row.get(.redirectURL),
            challenge: Identity.CodeChallenge(accepted: try row.get(.challenge)), nonce: try row.getIfPresent(.nonce),
            createdAt: try row.get(.createdAt),
            state: endedAt == nil ? .issued : opened.map { .redeemed(SessionID(bytes: $0)) } ?? .refused)
    }
}
