import Contracts
import Crypto
package import DatabaseService
package import MasterKey
import PhoneNumbers
package import SQL
import Vocabulary

/// The tables of mfa-sms.
enum SMSTables {
    static let all: [any SQLTableDescription.Type] = [
        VerificationSessionTable.self, FailedCodeTable.self, SendingCountTable.self, ResendBackoffTable.self,
        PrefixTable.self, SendingEventTable.self, DevicePairTable.self, WebTokenTable.self,
        SolvedChallengeTable.self, AppVerificationCountTable.self,
    ]
}

/// The database of mfa-sms. One method is one transaction.
package final class SMSStore: ServiceStore {
    package static let tables = SMSTables.all
    package static let migrations = SMSMigrations.all
    package let serviceDatabase: ServiceDatabase
    var database: any SQLDatabase { serviceDatabase.database }
    private var sealingKeys: SealingKeys { serviceDatabase.sealingKeys }
    let digests: CodeDigests
    let sending: SendingStore
    let appVerification: AppVerificationStore

    private static let sealedNumber = SealedColumn(VerificationSessionTable.sealedNumber)
    private static let sealedDevCode = SealedColumn(VerificationSessionTable.sealedDevCode)

    /// Opens the store and migrates its tables.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the database was sealed under
    ///   other keys: to continue would void every code that was sent.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing, policy: SendingPolicy) async throws {
        serviceDatabase = try await ServiceDatabase(
            database, of: .mfaSMS, Self.migrations, keys: keys, sealing: [Self.sealedNumber, Self.sealedDevCode])
        let (codes, sending, appVerifier) = try await serviceDatabase.secrets { load in
            (try load("digests"), try load("sending digests"), try load("app check"))
        }
        digests = CodeDigests(key: codes)
        self.sending = SendingStore(rules: SendingConfiguration(policy: policy, digestKey: sending))
        appVerification = AppVerificationStore(database: database, digestKey: appVerifier)
    }

    // MARK: Sealing, in the body of a transaction: it may read the file of the master key.

    func seal(_ number: SealedNumber, of id: [UInt8]) throws -> [UInt8] {
        try sealingKeys.seal(json: number, binding: Self.sealedNumber.binding(.blob(id)))
    }

    func open(number sealed: [UInt8], of id: [UInt8]) throws -> SealedNumber {
        try sealingKeys.open(json: sealed, binding: Self.sealedNumber.binding(.blob(id)))
    }

    func seal(_ reading: DevCode, of id: [UInt8]) throws -> [UInt8] {
        try sealingKeys.seal(json: reading, binding: Self.sealedDevCode.binding(.blob(id)))
    }

    func open(devCode sealed: [UInt8], of id: [UInt8]) throws -> DevCode {
        try sealingKeys.open(json: sealed, binding: Self.sealedDevCode.binding(.blob(id)))
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
