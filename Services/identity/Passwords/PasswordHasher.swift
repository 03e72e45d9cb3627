import Blocking
import Contracts
package import Crypto
import Synchronization
package import Vocabulary

/// Creates and verifies password records. The work runs on its own threads behind a bounded queue, so that many
/// concurrent passwords exhaust neither the memory nor the other threads.
package final class PasswordHasher: Sendable {
    /// A key that the database stores only sealed. Without it no record can be verified (security rule PW3).
    package struct Pepper: Sendable {
        var id: String
        var key: [UInt8]
    }

    /// Stands in for Argon2 and its threads in the simulation, whose runs must not depend on threads. No setting leads here, and
    /// `IdentityProgram` passes none. It gets a password under its pepper, and the salt.
    package typealias SimulatedHash = @Sendable (_ password: [UInt8], _ salt: [UInt8]) async throws -> [UInt8]

    private let pool: BlockingPool
    /// The niceness of the threads. With 5, one lookup in a hundred waited milliseconds for a hash that had used its
    /// share of the processor. With 10, the threads still get a tenth of a processor that is busy with other work.
    private static let niceness: Int32 = 10
    /// The pool of hashes of other systems, whose cost an import decides. They have threads of their own, so that they
    /// delay no other password.
    private let oldHashes: BlockingPool
    private let oldHashQueue: OldHashQueue
    /// The measured times of comparisons with such hashes, in milliseconds.
    private let measured = Mutex<[PasswordHashCost: Int64]>([:])
    private static let maximumMeasuredCosts = 1000
    let steadyNow: @Sendable () -> ContinuousClock.Instant
    private let pause: @Sendable (Duration) async throws -> Void
    /// Requests that may hash concurrently.
    private let slots: Int
    private let takenSlots: Mutex<Int>
    private let parameters: Argon2.Parameters
    private let memory: HashingMemory
    private let simulated: SimulatedHash?
    private let now: @Sendable () -> Moment
    /// The pepper of new records.
    private let pepper: Pepper
    /// The peppers of all verifiable records, by id.
    private let peppers: [String: Pepper]
    private let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// Replaces a missing record, so that an attempt takes the same time with and without an account (PW11).
    private let dummy: PasswordRecord

    /// - Parameters:
    ///   - threads: passwords hashed concurrently, with low priority.
    ///   - maximumWaiting: passwords that may wait for a thread.
    ///   - parameters: cheaper than the standard only in tests with hundreds of passwords.
    ///   - pepper: of new records.
    ///   - formerPeppers: of older records.
    ///   - steadyNow: measures comparisons.
    ///   - pause: waits on the steady clock.
    ///   - simulated: only in the simulation.
    package init(
        threads: Int, maximumWaiting: Int, parameters: Argon2.Parameters = .standard, pepper: Pepper,
        formerPeppers: [Pepper] = [], now: @escaping @Sendable () -> Moment,
        steadyNow: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        simulated: SimulatedHash? = nil, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) {
        pool = BlockingPool(
            label: "passwords", threads: threads, maximumWaiting: maximumWaiting, niceness: Self.niceness)
        let oldHashThreads = max(1, threads / 2)
        // The slots of `oldHashQueue` and the measurements of imports.
        oldHashes = BlockingPool(
            label: "old-hashes", threads: oldHashThreads, maximumWaiting: 1024, niceness: Self.niceness)
        oldHashQueue = OldHashQueue(slots: oldHashThreads)
        self.steadyNow = steadyNow
        self.pause = pause
        slots = threads + maximumWaiting
        takenSlots = Mutex(0)
        self.parameters = parameters
        memory = HashingMemory(for: parameters)
        self.simulated = simulated
        self.now = now
        self.pepper = pepper
        peppers = Dictionary(([pepper] + formerPeppers).map { ($0.id, $0) }) { newer, _ in newer }
        self.randomBytes = randomBytes
        dummy = PasswordRecord(
            parameters: parameters, pepperID: pepper.id, salt: randomBytes(PasswordRecord.saltBytes),
            tag: randomBytes(parameters.tagBytes))
    }

    /// Refuses a request before any other work. A slot that is free now may be taken until `withSlot`.
    /// - Throws: `ServiceError.overloaded` when all slots are taken.
    func requireFreeSlot() throws(ServiceError) {
        guard takenSlots.withLock({ $0 < slots }) else { throw .overloaded }
    }

    /// Runs `body` with a slot, so that a request is refused before any other work, or not at all.
    /// - Throws: `ServiceError.overloaded` at once when all slots are taken; what `body` throws.
    func withSlot<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let isTaken = takenSlots.withLock { taken in
            guard taken < slots else { return false }
            taken += 1
            return true
        }
        guard isTaken else { throw ServiceError.overloaded }
        defer { takenSlots.withLock { $0 -= 1 } }
        return try await body()
    }

    /// A record to store.
    /// - Parameter deadline: after it nothing is hashed any more.
    /// - Throws: `ServiceError.overloaded` when the queue is full, or when it was too long for the deadline.
    func record(of password: Password, by deadline: Moment) async throws -> String {
        let salt = randomBytes(PasswordRecord.saltBytes)
        let tag = try await hash(password, pepper, salt: salt, parameters: parameters, by: deadline)
        return PasswordRecord(parameters: parameters, pepperID: pepper.id, salt: salt, tag: tag).text
    }

    /// The record of an imported password. A hash of Latchkey under a pepper of this installation is stored as it is.
    /// - Throws: `invalidPasswordHash` for a hash whose pepper is missing.
    func record(of password: ImportedPassword) throws -> String {
        if case .pepperedArgon2(let parameters, let imported) = password.algorithm {
            if let own = peppers[imported.id], imported.key.map({ $0.reveal().bytes == own.key }) ?? true {
                return PasswordRecord(
                    parameters: .init(parameters), pepperID: own.id, salt: password.salt.bytes, tag: password.hash.bytes
                ).text
            }
            guard imported.key != nil else {
                throw ServiceError(.invalidPasswordHash, "the hash needs a pepper that this installation does not have")
            }
        }
        return try ImportedPasswordRecord(sealing: password, with: pepper).text
    }

    /// The hash in a record.
    /// - Returns: nil for a record that cannot be opened with the peppers of this installation.
    func exported(_ record: String, includingPepper: Bool) throws -> Identity.ExportedPassword? {
        if let imported = ImportedPasswordRecord(record) {
            guard let pepper = peppers[imported.pepperID] else { return nil }
            let password = try imported.open(with: pepper)
            var algorithm = password.algorithm
            if case .pepperedArgon2(let parameters, let other) = algorithm, !includingPepper {
                algorithm = .pepperedArgon2(parameters, .init(id: other.id, key: nil))
            }
            return .init(algorithm: algorithm, salt: password.salt, hash: Secret(password.hash))
        }
        guard let stored = PasswordRecord(record), let pepper = peppers[stored.pepperID] else { return nil }
        return .init(
            algorithm: .pepperedArgon2(
                .init(stored.parameters),
                .init(id: pepper.id, key: includingPepper ? Secret(OctetString(pepper.key)) : nil)),
            salt: OctetString(stored.salt), hash: Secret(OctetString(stored.tag)))
    }

    /// The result of comparing a password with a record.
    enum Comparison: Equatable, Sendable {
        case different
        /// - Parameter replacement: of an imported record; nil for any other.
        case equal(replacement: Replacement?)
    }

    /// The record to store instead of an imported one.
    struct Replacement: Equatable, Sendable {
        var imported: String
        var record: String
    }

    /// Compares a password with `record`. Without a record it differs, after the same time (PW11).
    /// - Parameter time: of every refusal beside that of a new hash.
    /// - Throws: as `record`.
    func compare(
        _ password: Password, with record: String?, refusingAfter time: OldHashTime, by deadline: Moment
    ) async throws -> Comparison {
        if let record, let imported = ImportedPasswordRecord(record), let pepper = peppers[imported.pepperID] {
            // Computed in any case: a comparison must not take less time than one without a record.
            let replacement = Replacement(imported: record, record: try await self.record(of: password, by: deadline))
            let opened = try imported.open(with: pepper)
            let isEqual = try await refusing(after: time, by: deadline) { [self] in
                try await run(in: oldHashes, by: deadline) { try opened.matches(password) }
            }
            return isEqual ? .equal(replacement: replacement) : .different
        }
        let stored = record.flatMap(PasswordRecord.init)
        let storedPepper = stored.flatMap { peppers[$0.pepperID] }
        let compared = stored ?? dummy
        let tag = try await hash(
            password, storedPepper ?? pepper, salt: compared.salt, parameters: compared.parameters, by: deadline)
        guard storedPepper != nil, constantTimeEquals(tag, compared.tag) else {
            if time.duration > .zero { _ = try await refusing(after: time, by: deadline) { false } }
            return .different
        }
        return .equal(replacement: nil)
    }

    /// Runs a comparison with a hash of another system, and lets a refusal wait for the rest of `time`.
    private func refusing(
        after time: OldHashTime, by deadline: Moment, _ matches: @Sendable () async throws -> Bool
    ) async throws -> Bool {
        // Another password may be hashed meanwhile.
        takenSlots.withLock { $0 -= 1 }
        defer { takenSlots.withLock { $0 += 1 } }
        let cost = time.duration > .zero ? time.duration : OldHashTime.unmeasured
        return try await oldHashQueue.withSlot(for: time.network, cost: cost) { [now, steadyNow, pause] in
            guard now() < deadline else { throw ServiceError.overloaded }
            let began = steadyNow()
            let isEqual = try await matches()
            // A right answer shows itself.
            if !isEqual {
                let rest = time.duration - (steadyNow() - began)
                if rest > .zero { try await pause(rest) }
            }
            return isEqual
        }
    }

    // MARK: Times of old hashes

    /// The time of a comparison with a record, in milliseconds: measured once for each kind and cost of hashes.
    /// - Returns: nil for the record of a new hash; 0 for a record that cannot be opened.
    func oldHashMilliseconds(of record: String) async throws -> Int64? {
        guard let imported = ImportedPasswordRecord(record) else { return nil }
        // `try?`: it matches no password.
        guard let pepper = peppers[imported.pepperID], let opened = try? imported.open(with: pepper),
            let password = Password("measured")
        else { return 0 }
        let cost = PasswordHashCost(opened.algorithm, hash: opened.hash.bytes)
        if let known = measured.withLock({ $0[cost] }) { return known }
        let time = try await oldHashes.run { [steadyNow] in
            let began = steadyNow()
            _ = try opened.matches(password)
            return steadyNow() - began
        }
        let milliseconds = max(1, Int64(saturating: (time / .milliseconds(1)).rounded(.up)))
        measured.withLock { measured in
            if measured.count >= Self.maximumMeasuredCosts { measured = [:] }
            measured[cost] = milliseconds
        }
        return milliseconds
    }

    private func hash(
        _ password: Password, _ pepper: Pepper, salt: [UInt8], parameters: Argon2.Parameters, by deadline: Moment
    ) async throws -> [UInt8] {
        if let simulated {
            guard now() < deadline else { throw ServiceError.overloaded }
            return try await simulated(HMAC.sha256(key: pepper.key, message: password.bytes), salt)
        }
        return try await run(in: pool, by: deadline) { [memory, pool] in
            try memory.withMemory(keeping: { pool.load.waiting > 0 }) { memory in
                try Argon2.hash(
                    password: HMAC.sha256(key: pepper.key, message: password.bytes), salt: salt, parameters, in: memory)
            }
        }
    }

    private func run<Result: Sendable>(
        in pool: BlockingPool, by deadline: Moment, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        do {
            return try await pool.run { [now] in
                guard now() < deadline else { throw ServiceError.overloaded }
                return try body()
            }
        } catch is BlockingPool.OverloadedError {
            throw ServiceError.overloaded
        }
    }
}
