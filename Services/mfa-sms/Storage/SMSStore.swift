import Contracts
import Crypto
import FoundationEssentials
import JSON
package import MasterKey
import PhoneNumbers
package import SQL
import Storage
package import Vocabulary

/// The tables of mfa-sms.
enum SMSTables {
    static let all: [any SQLTableDescription.Type] = [
        VerificationSessionTable.self, FailedCodeTable.self, SendingCountTable.self, ResendBackoffTable.self,
        PrefixTable.self, SendingEventTable.self, DevicePairTable.self, WebTokenTable.self,
        SolvedChallengeTable.self, AppVerificationCountTable.self,
    ]
}

/// The database of mfa-sms. One method is one transaction.
package final class SMSStore: Sendable {
    let database: any SQLDatabase
    /// Seals phone numbers and, in dev mode, codes.
    private let sealingKeys: SealingKeys
    /// The sealed columns, which `SealingMaintenance` keeps under the current master key.
    package let sealedRecords: SealedRecords
    let digests: CodeDigests
    let sending: SendingStore
    let appVerification: AppVerificationStore
    private let sweeper: Sweeper

    private static let sealedNumber = SealedColumn(VerificationSessionTable.sealedNumber)
    private static let sealedDevCode = SealedColumn(VerificationSessionTable.sealedDevCode)

    /// Opens the store and migrates its tables.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the database was sealed under
    ///   other keys: to continue would void every code that was sent.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing, policy: SendingPolicy) async throws {
        self.database = database
        sealingKeys = SealingKeys(keys, of: .mfaSMS)
        sealedRecords = SealedRecords(
            database, keys: sealingKeys, columns: [Self.sealedNumber, Self.sealedDevCode])
        sweeper = Sweeper(SMSTables.all, in: database)
        try await database.migrate(SMSMigrations.all)
        try await sealedRecords.declare()
        let (codes, sending, appVerifier) = try await database.write { [sealingKeys] transaction in
            (
                try ServiceSecrets.loadNewest("digests", in: transaction, sealingKeys) { .random() }.bytes,
                try ServiceSecrets.loadNewest("sending digests", in: transaction, sealingKeys) { .random() }.bytes,
                try ServiceSecrets.loadNewest("app check", in: transaction, sealingKeys) { .random() }.bytes
            )
        }
        digests = CodeDigests(key: codes)
        self.sending = SendingStore(SendingConfiguration(policy, digestKey: sending))
        appVerification = AppVerificationStore(database, digestKey: appVerifier)
    }

    package func close() async {
        await database.close()
    }

    /// Deletes expired rows.
    package func sweep(at now: Moment) async throws {
        try await sweeper.sweep(at: now)
    }

    // MARK: Sealing, in the body of a transaction: it may read the file of the master key.

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

/// A phone number with its region and type at the time of the message.
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

/// The code that tools may read in dev mode.
struct DevCode: Codable, Sendable {
    var code: Secret<String>
    var sessionInfo: Secret<String>
}
