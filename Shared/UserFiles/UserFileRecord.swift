package import Contracts
package import Vocabulary

/// A record of a file of users.
package struct UserFileRecord: Sendable {
    package var position: RecordPosition
    /// For messages; nil when the record has none or cannot be decoded.
    package var localID: String?
    package var content: Result<UserFileEntry, UserRecordError>
}

/// A user of a file, as an account to import.
package struct UserFileEntry: Equatable, Sendable {
    package var account: Identity.ImportedAccount
    /// The tenant of the account where the file was written.
    package var tenant: TenantID?
    package var totpFactors: [TOTPFactorEntry]
    package var passkeys: [PasskeyEntry]
    package var omissions: Set<ImportOmission>

    package init(
        account: Identity.ImportedAccount, tenant: TenantID? = nil, totpFactors: [TOTPFactorEntry] = [],
        passkeys: [PasskeyEntry] = [], omissions: Set<ImportOmission> = []
    ) {
        self.account = account
        self.tenant = tenant
        self.totpFactors = totpFactors
        self.passkeys = passkeys
        self.omissions = omissions
    }
}

/// A TOTP factor of a record, with its secret.
package struct TOTPFactorEntry: Equatable, Sendable {
    /// Nil when the record has none.
    package var id: FactorID?
    package var displayName: String?
    package var enrolledAt: Moment?
    package var secret: Secret<OctetString>

    package init(id: FactorID?, displayName: String?, enrolledAt: Moment?, secret: Secret<OctetString>) {
        self.id = id
        self.displayName = displayName
        self.enrolledAt = enrolledAt
        self.secret = secret
    }
}

/// A part of a record that cannot be imported. The rest of the account can.
package enum ImportOmission: String, CaseIterable, Codable, Sendable {
    /// The file does not have the secret of the factor.
    case totp
    /// The codes of the factor are not those of SHA-1 with six digits every 30 seconds.
    case totpParameters
    /// The secret of the factor is malformed, or of another length than `MFATOTP.ImportedFactor.secretByteCounts`.
    case totpSecret
    /// The file does not have the public keys. Only a sealed file of Latchkey has them.
    case passkeys
    /// Another account of the project has the passkeys, or their public keys are malformed.
    case takenPasskeys
    /// The hash was computed with parameters that the file does not have (`version` is not 0).
    case otherHash
    /// The file has a constant instead of the hash, because its author could not read hashes.
    case redactedHash
}

/// Why a record cannot be imported.
package enum UserRecordError: Error, Equatable, Sendable {
    /// With the bytes or the field that is wrong.
    case malformed(String)
    /// The record has a hash, but neither the record nor the command names its algorithm.
    case missingHashAlgorithm

    package var message: String {
        switch self {
        case .malformed(let reason): reason
        case .missingHashAlgorithm: "the record has a password hash without an algorithm"
        }
    }
}

/// Reads the records of a file, in any pieces.
package struct UserFileReader: Sendable {
    private enum Scanner: Sendable {
        case json(JSONUserScanner)
        case csv(CSVScanner)
        case lines(LineScanner)
    }

    private var scanner: Scanner
    private var decoder: UserRecordDecoder

    /// - Parameter algorithm: of the hashes without an algorithm of their own; nil when the file has none.
    package init(_ format: UserFileFormat, hashes algorithm: PasswordHashAlgorithm?) {
        scanner =
            switch format {
            case .json: .json(JSONUserScanner())
            case .csv: .csv(CSVScanner())
            case .jsonl: .lines(LineScanner())
            }
        decoder = UserRecordDecoder(algorithm: algorithm)
    }

    /// - Returns: the records that the bytes complete.
    package mutating func receive(_ bytes: some Sequence<UInt8>) throws(UserFileError) -> [UserFileRecord] {
        let records: [RawRecord]
        switch scanner {
        case .json(var json):
            records = try json.receive(bytes)
            scanner = .json(json)
        case .csv(var csv):
            records = try csv.receive(bytes)
            scanner = .csv(csv)
        case .lines(var lines):
            records = try lines.receive(bytes)
            scanner = .lines(lines)
        }
        return records.compactMap { decoder.record($0) }
    }

    /// Call it at the end of the file.
    /// - Returns: the last record, if it had no line end.
    /// - Throws: `truncated`.
    package mutating func finish() throws(UserFileError) -> [UserFileRecord] {
        let last: RawRecord?
        switch scanner {
        case .json(let json):
            try json.finish()
            last = nil
        case .csv(var csv): last = try csv.finish()
        case .lines(var lines): last = try lines.finish()
        }
        return last.flatMap { decoder.record($0) }.map { [$0] } ?? []
    }
}
