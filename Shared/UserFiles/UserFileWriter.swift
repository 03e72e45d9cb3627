package import Contracts
import FoundationEssentials
import JSON
package import Vocabulary

/// A part of an account that a file does not have.
package enum ExportOmission: String, CaseIterable, Sendable {
    /// Only a sealed file has the secret of a TOTP factor, and the public key of a passkey.
    case totp
    case passkeys
    /// The files of Firebase have no second factors.
    case phoneFactors
    /// The files of Firebase have four providers.
    case otherProviders
    /// The files of Firebase do not say that an account is to be deleted.
    case deletionTime
    /// The hash is of Latchkey. Only its own format can describe it.
    case ownHash
    /// The hash has other parameters than the first one of the file: such a file has one set of parameters.
    case otherHashParameters
    /// The hash cannot be opened with the peppers of this installation.
    case unreadableHash
}

/// What identity does not have about accounts: for a sealed file.
package struct AccountSecrets: Sendable {
    struct FactorKey: Hashable {
        var accountID: AccountID
        var factorID: FactorID

        init(_ accountID: AccountID, _ factorID: FactorID) {
            self.accountID = accountID
            self.factorID = factorID
        }
    }

    let factors: [FactorKey: Secret<OctetString>]
    let publicKeys: [CredentialID: Passkey.PublicKeyRecord]

    package init(
        factors: [MFATOTP.ImportedFactor] = [], publicKeys: [CredentialID: Passkey.PublicKeyRecord] = [:]
    ) {
        self.factors = Dictionary(
            factors.map { (FactorKey($0.accountID, $0.factorID), $0.secret) }, uniquingKeysWith: { $1 })
        self.publicKeys = publicKeys
    }
}

/// Writes accounts in the form of a file, one text for each page.
package struct UserFileWriter: Sendable {
    private let format: UserFileFormat
    private let includesHashes: Bool
    private var count = 0
    /// The ids of the peppers that the file has.
    private var writtenPeppers: Set<String> = []
    /// How many accounts lack each part.
    package private(set) var omissions: [ExportOmission: Int] = [:]
    /// The parameters of all hashes in a file of Firebase; nil when it has none.
    package private(set) var hashAlgorithm: PasswordHashAlgorithm?

    package init(_ format: UserFileFormat, includesHashes: Bool) {
        self.format = format
        self.includesHashes = includesHashes
    }

    /// The number of accounts so far.
    package var accountCount: Int { count }

    /// The text before the first account.
    package var head: String { format == .json ? "{\"users\": [\n" : "" }

    /// The text after the last account.
    package var tail: String { format == .json ? "]}\n" : "" }

    /// - Parameter secrets: of the accounts, for a sealed file.
    package mutating func text(
        of accounts: [Identity.ExportedAccount], _ secrets: AccountSecrets = .init()
    ) throws -> String {
        var text = ""
        for account in accounts {
            switch format {
            case .json:
                text += count == 0 ? "" : ",\n"
                text += try Self.json(firebaseRecord(account))
            case .csv: text += UserRecordColumns.line(firebaseRecord(account)) + "\n"
            case .jsonl:
                text += try pepperLine(account) + Self.json(ownRecord(account, secrets)) + "\n"
            }
            count += 1
        }
        return text
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encodeSorted(value), as: UTF8.self)
    }

    private mutating func omit(_ omission: ExportOmission) { omissions[omission, default: 0] += 1 }

    // MARK: Firebase

    private mutating func firebaseRecord(_ exported: Identity.ExportedAccount) -> FirebaseUserRecord {
        let account = exported.account
        var record = FirebaseUserRecord(account)
        if let password = firebasePassword(exported) {
            record.passwordHash = Base64Field.encode(password.hash.reveal().bytes)
            record.salt = Base64Field.encode(password.salt.bytes)
        }
        if account.providers.contains(where: { !UserRecordColumns.providers.contains($0.providerID) }) {
            omit(.otherProviders)
        }
        if account.secondFactors.contains(where: \.isTOTP) { omit(.totp) }
        if account.secondFactors.contains(where: { !$0.isTOTP }) { omit(.phoneFactors) }
        if !account.passkeys.isEmpty { omit(.passkeys) }
        if account.deletionDueAt != nil { omit(.deletionTime) }
        return record
    }

    private mutating func firebasePassword(_ exported: Identity.ExportedAccount) -> Identity.ExportedPassword? {
        guard includesHashes, exported.account.hasPassword else { return nil }
        guard let password = exported.password else {
            omit(.unreadableHash)
            return nil
        }
        if case .pepperedArgon2 = password.algorithm {
            omit(.ownHash)
            return nil
        }
        guard HashParameters(describing: password.algorithm) != nil,
            hashAlgorithm == nil || hashAlgorithm == password.algorithm
        else {
            omit(.otherHashParameters)
            return nil
        }
        hashAlgorithm = password.algorithm
        return password
    }

    // MARK: JSON Lines

    private mutating func ownRecord(
        _ exported: Identity.ExportedAccount, _ secrets: AccountSecrets
    ) -> OwnUserRecord {
        var record = OwnUserRecord(exported.account, secrets)
        if includesHashes, exported.account.hasPassword {
            record.passwordHash = exported.password.map {
                PasswordHashText(algorithm: $0.algorithm, salt: $0.salt, hash: $0.hash.reveal()).text
            }
            if record.passwordHash == nil { omit(.unreadableHash) }
        }
        if record.mfaInfo?.contains(where: { $0.totpInfo.map { $0.sharedSecretKey == nil } ?? false }) == true {
            omit(.totp)
        }
        if record.passkeyInfo?.contains(where: { $0.credential == nil }) == true { omit(.passkeys) }
        return record
    }

    /// A line with the pepper of the account's hash, before the first account that needs it; else empty.
    private mutating func pepperLine(_ exported: Identity.ExportedAccount) throws -> String {
        guard includesHashes, case .pepperedArgon2(_, let pepper)? = exported.password?.algorithm, let key = pepper.key,
            writtenPeppers.insert(pepper.id).inserted
        else { return "" }
        let line = PepperLine(
            latchkeyPepper: .init(id: pepper.id, key: Base64Field.encode(key.reveal().bytes)))
        return try Self.json(line) + "\n"
    }
}

private struct PepperLine: Encodable {
    var latchkeyPepper: UserRecordBody.Pepper
}

extension SecondFactor {
    fileprivate var isTOTP: Bool {
        switch kind {
        case .totp: true
        case .phone: false
        }
    }
}
