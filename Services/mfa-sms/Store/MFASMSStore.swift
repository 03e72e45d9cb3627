import Contracts
import Crypto
import FoundationEssentials
import JSON
package import MasterKey
import PhoneNumbers
package import SQL
import Storage
package import Vocabulary

/// The store of mfa-sms, in its own database. One method is one transaction.
package struct MFASMSStore: Sendable {
    let database: any SQLDatabase
    /// Encrypts phone numbers and, in dev mode, the codes that tools may read.
    private let sealingKeys: SealingKeys
    /// The sealed records, for resealing under the current master key.
    package let sealedRecords: SealedRecords
    let digests: CodeDigests
    /// The sending policy and its digest key.
    let rules: SendingConfiguration
    /// Authenticates and hashes the values of app verification.
    let appVerificationKey: [UInt8]

    private static let sealedNumber = SealedColumn(
        "sealed_number", of: "verification_sessions", key: ["session_digest"])
    private static let sealedDevCode = SealedColumn(
        "sealed_dev_code", of: "verification_sessions", key: ["session_digest"])

    /// How long an ended session is kept, to distinguish it from an unknown one.
    private static let memory = Duration.seconds(3600)

    /// The tables and columns for the deletion of expired rows.
    private static let sweeping: [Sweeper.Rule] =
        [
            .init("verification_sessions", keys: ["session_digest"], time: "expires_at", lifetime: memory),
            .init(
                "failed_guesses", keys: ["project", "tenant", "scope_digest"], time: "failed_at",
                lifetime: FailedCodeAttempts.memory),
        ] + SendingMigrations.sweeping

    /// Opens the store and applies its migrations.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` if it was sealed under other keys:
    ///   continuing would void all open codes.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing, policy: SendingPolicy) async throws {
        self.database = database
        sealingKeys = SealingKeys(keys, of: .mfaSMS)
        sealedRecords = SealedRecords(
            database, keys: sealingKeys, columns: [Self.sealedNumber, Self.sealedDevCode])
        try await database.migrate(MFASMSMigrations.all)
        try await sealedRecords.declare()
        let (codes, sending, appVerifier) = try await database.write { [sealingKeys] transaction in
            (
                try ServiceSecrets.loadNewest("digests", in: transaction, sealingKeys) { .random() }.bytes,
                try ServiceSecrets.loadNewest("sending digests", in: transaction, sealingKeys) { .random() }.bytes,
                try ServiceSecrets.loadNewest("app check", in: transaction, sealingKeys) { .random() }.bytes
            )
        }
        digests = CodeDigests(key: codes)
        rules = SendingConfiguration(policy, digestKey: sending)
        appVerificationKey = appVerifier
    }

    package func close() async {
        await database.close()
    }

    /// Deletes expired rows, in batches with one transaction each.
    package func sweep(at now: Moment) async throws {
        try await Sweeper(Self.sweeping, in: database).sweep(at: now)
    }

    // MARK: Sealing. Only in the body of a transaction: it may read the master-key file.

    func seal(_ number: SealedNumber, of id: [UInt8]) throws -> [UInt8] {
        try sealingKeys.seal(Array(WireJSON.encode(number)), binding: Self.sealedNumber.binding(.blob(id)))
    }

    func open(number sealed: [UInt8], of id: [UInt8]) throws -> SealedNumber {
        let bytes = try sealingKeys.open(sealed, binding: Self.sealedNumber.binding(.blob(id)))
        return try WireJSON.decodeUnchecked(SealedNumber.self, from: Data(bytes))
    }

    func seal(_ reading: DevCode, of id: [UInt8]) throws -> [UInt8] {
        try sealingKeys.seal(Array(WireJSON.encode(reading)), binding: Self.sealedDevCode.binding(.blob(id)))
    }

    func open(devCode sealed: [UInt8], of id: [UInt8]) throws -> DevCode {
        let bytes = try sealingKeys.open(sealed, binding: Self.sealedDevCode.binding(.blob(id)))
        return try WireJSON.decodeUnchecked(DevCode.self, from: Data(bytes))
    }
}

/// A number with the region and type from its parsing.
struct SealedNumber: Codable, Sendable {
    var number: PhoneNumber
    var region: String?
    var kind: String

    init(_ parsed: ParsedPhoneNumber) {
        number = parsed.number
        region = parsed.region
        kind = parsed.kind.rawValue
    }

    var parsed: ParsedPhoneNumber {
        // A type of a later version counts as unknown.
        .init(number: number, region: region, kind: ParsedPhoneNumber.NumberType(rawValue: kind) ?? .unknown)
    }
}

/// A code that tools may read in dev mode. Absent in production.
struct DevCode: Codable, Sendable {
    var code: Secret<String>
    var sessionInfo: Secret<String>
}

/// A row has malformed values.
struct RowDecodingError: Error {}
