import CommandLineArguments
package import Contracts
import Crypto
package import MasterKey
package import SQL
import ServiceRuntime
import Storage
import UserFiles
package import Vocabulary

/// How the databases of services are read for an export. The main file of the executable passes it, because services do
/// not know each other.
package struct AccountSecretReaders: Sendable {
    package typealias PublicKeys = [CredentialID: Passkey.PublicKeyRecord]

    let factors:
        @Sendable (_ of: [Account], any SQLDatabase, ReloadingMasterKeyRing) async throws -> [MFATOTP.ImportedFactor]
    let publicKeys: @Sendable (_ of: [Account], any SQLDatabase) async throws -> PublicKeys

    package init(
        factors:
            @escaping @Sendable (_ of: [Account], any SQLDatabase, ReloadingMasterKeyRing) async throws ->
            [MFATOTP.ImportedFactor],
        publicKeys: @escaping @Sendable (_ of: [Account], any SQLDatabase) async throws -> PublicKeys
    ) {
        self.factors = factors
        self.publicKeys = publicKeys
    }
}

/// A command that reads secrets of accounts in the databases of services. `LatchkeyCommand` gives it the readers.
protocol AccountSecretCommand: Command {
    /// - Throws: an `ExitError`.
    func run(reading readers: AccountSecretReaders) async throws
}

extension AccountSecretCommand {
    func run() async throws { preconditionFailure("LatchkeyCommand runs it with readers") }
}

/// The databases of mfa-totp and passkey, as `users export --with-secrets` opens them: with the settings of the services
/// and the master key, beside the running services.
struct AccountSecretDatabases: Sendable {
    private struct Database: Sendable {
        let place: String
        let database: any SQLDatabase
    }

    private let keys: ReloadingMasterKeyRing
    private let readers: AccountSecretReaders
    private var databases: [ServiceName: Database] = [:]

    /// - Throws: `SettingsError`, `MasterKeyError`, `SQLError`; `UnvisitedDatabases` if the settings omit a database that
    ///   a marker file records.
    init(_ environment: Environment, readers: AccountSecretReaders) async throws {
        self.readers = readers
        let settings = try DatabaseSettings(environment).inExistingDirectory()
        keys = try ReloadingMasterKeyRing(settings.masterKey)
        let connection = CommandConnection()
        var unvisited: [UnvisitedDatabase] = []
        do {
            for store in settings.stores where [.mfaTOTP, .passkey].contains(store.service) {
                let database = try await store.openForCopying(createIfMissing: false, through: connection)
                let isFound = try await database?.hasTables() ?? false
                if let missed = store.unvisitedDatabase(isFound: isFound) { unvisited.append(missed) }
                if let database, isFound {
                    databases[store.service] = Database(place: store.location.description, database: database)
                } else {
                    await database?.close()
                }
            }
            try UnvisitedDatabases.requireNone(unvisited)
        } catch {
            await close()
            throw error
        }
    }

    /// What a service without a database would have is missing in the file.
    /// - Throws: `MasterKeyError`, `SQLError`, `UserTransferError.unopenedSecrets`.
    func secrets(of accounts: [Account]) async throws -> AccountSecrets {
        var factors: [MFATOTP.ImportedFactor] = []
        if let totp = databases[.mfaTOTP] {
            do {
                factors = try await readers.factors(accounts, totp.database, keys)
            } catch CryptoError.authenticationFailed {
                throw UserTransferError.unopenedSecrets(totp.place)
            }
        }
        var publicKeys: AccountSecretReaders.PublicKeys = [:]
        if let passkey = databases[.passkey] {
            publicKeys = try await readers.publicKeys(accounts, passkey.database)
        }
        return AccountSecrets(factors: factors, publicKeys: publicKeys)
    }

    func close() async {
        for database in databases.values { await database.database.close() }
    }
}
