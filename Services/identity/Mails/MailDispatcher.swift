package import Contracts
internal import EventLoop
package import ServiceRuntime
package import Vocabulary

/// Gives the mails that identity has committed to the notifier. Any number of dispatchers, in several processes, share
/// one table: each mail belongs to the holder of its lease, and the notifier accepts each ID once.
///
/// It repeats three steps: lease the mails that are due, send them at once, and record the outcomes.
package final class MailDispatcher: ProcessComponent {
    package struct Dependencies: Sendable {
        package var store: IdentityStore
        /// Returns when the notifier has stored the mail. The same idempotency key again changes nothing.
        package var send:
            @Sendable (_ mail: Notifier.SendEmail, _ idempotencyKey: String, TraceContext) async throws(WireError) ->
                Void
        /// Unique among all processes that ever shared the database, also across restarts.
        package var holder: LeaseHolder
        /// Whether the process that holds a lease, given by its text, has certainly ended.
        package var isKnownDead: @Sendable (String) -> Bool
        package var now: @Sendable () -> Moment
        /// nil while the clock is not trusted: then no expired mail is deleted.
        package var trustedNow: @Sendable () async throws -> Moment?
        package var instant: @Sendable () -> ContinuousClock.Instant
        /// 0 ..< 1.
        package var jitter: @Sendable () -> Double
        package var metrics: Metrics
        package var log: Log

        package init(
            store: IdentityStore,
            send:
                @escaping @Sendable (Notifier.SendEmail, _ idempotencyKey: String, TraceContext) async throws(WireError)
                -> Void,
            holder: LeaseHolder, isKnownDead: @escaping @Sendable (String) -> Bool = LeaseHolder.isKnownDead,
            now: @escaping @Sendable () -> Moment, trustedNow: @escaping @Sendable () async throws -> Moment?,
            instant: @escaping @Sendable () -> ContinuousClock.Instant,
            jitter: @escaping @Sendable () -> Double, metrics: Metrics, log: Log
        ) {
            self.store = store
            self.send = send
            self.holder = holder
            self.isKnownDead = isKnownDead
            self.now = now
            self.trustedNow = trustedNow
            self.instant = instant
            self.jitter = jitter
            self.metrics = metrics
            self.log = log
        }
    }

    /// The polling interval for mails of other processes and for mails that become due again.
    private static let interval = Duration.seconds(1)
    private static let measuringInterval = Duration.seconds(5)
    private static let expiryInterval = Duration.seconds(60)
    /// Longer than an attempt takes, so that no mail is in flight twice.
    static let lease = Duration.seconds(15)
    /// Of one attempt.
    package static let timeout = Duration.seconds(5)

    private let dependencies: Dependencies
    private let wakes: AsyncStream<Void>
    private let waking: AsyncStream<Void>.Continuation
    private let stop = StopSignal()

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        // One pending wake-up is enough for any number of mails.
        (wakes, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        for result in Result.allCases { counter(result).increment(by: 0) }
    }

    /// Part of the maintenance of the service. They run one after the other.
    package var maintenanceTasks: [MaintenanceTask] {
        [
            MaintenanceTask("mail-metrics", every: Self.measuringInterval, measure),
            MaintenanceTask("mail-expiry", every: Self.expiryInterval, deleteExpired),
        ]
    }

    /// Call it after mails were committed: polls for them now.
    package func wake() { waking.yield() }

    package func run() async throws {
        await releaseMailsOfTheDead()
        wake()
        await stop.run(dispatchWhenWoken, wakeRegularly)
    }

    package func beginShutdown() async {
        stop.raise()
    }

    /// Releases the leases of ended processes, so that their mails need not wait until the leases end. This is only known on
    /// the machine of the ended process.
    func releaseMailsOfTheDead() async {
        do {
            let count = try await dependencies.store.releaseMails(
                where: dependencies.isKnownDead, at: dependencies.now())
            if count > 0 { dependencies.log.info("mail.leases-released", ["count": .public(count)]) }
        } catch {
            // The leases end by themselves.
            dependencies.log.error("mail.dispatch-failed", ["error": .kind(of: error)])
        }
    }

    private func dispatchWhenWoken() async {
        var state = EnqueueState()
        var isFailing = false
        for await _ in wakes {
            do {
                while try await dispatch(&state) {}
                isFailing = false
            } catch {
                guard !Task.isCancelled else { return }
                // The mails are still stored; the next attempt finds them.
                if !isFailing { dependencies.log.error("mail.dispatch-failed", ["error": .kind(of: error)]) }
                isFailing = true
            }
        }
    }

    private func wakeRegularly() async {
        // The only error of a sleep is its cancellation, which ends the loop.
        while (try? await EventLoop.sleep(forAbout: Self.interval)) != nil { wake() }
    }

    /// One iteration.
    /// - Returns: whether there may be more to do at once.
    /// - Throws: errors of the store.
    func dispatch(_ state: inout EnqueueState) async throws -> Bool {
        let room = state.room(at: dependencies.instant())
        guard room > 0 else { return false }
        let mails = try await dependencies.store.leaseMails(
            upTo: room, to: dependencies.holder.text, for: Self.lease, at: dependencies.now())
        guard !mails.isEmpty else { return false }
        let attempts = await withTaskGroup { group in
            for mail in mails { group.addTask { (mail, await self.attempt(mail)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // A stop does not cancel it: a mail that was sent must be deleted.
        try await Task { [self] in try await record(attempts) }.value
        switch state.record(attempts.map(\.1), at: dependencies.instant(), jitter: dependencies.jitter()) {
        case .began(let code): dependencies.log.warn("mail.notifier-unavailable", ["error": .public(code.rawValue)])
        case .ended(let duration):
            dependencies.log.info(
                "mail.notifier-available", ["outageInSeconds": .public(duration.components.seconds)])
        case nil: break
        }
        return state.outage == nil && !Task.isCancelled
    }

    private func attempt(_ leased: LeasedMail) async -> EnqueueOutcome {
        guard case .readable(let mail) = leased else { return .rejected(.internal) }
        guard !mail.content.isDecoy else { return .dropped }
        do throws(WireError) {
            try await dependencies.send(mail.content.email, mail.id, mail.content.trace)
            return .accepted
        } catch {
            return Task.isCancelled ? .interrupted : EnqueueOutcome(error)
        }
    }

    private func record(_ attempts: [(LeasedMail, EnqueueOutcome)]) async throws {
        let now = dependencies.now()
        var finished: [String] = []
        var released: [(mail: PendingMail, dueAt: Moment)] = []
        for (leased, outcome) in attempts {
            switch (leased, outcome) {
            case (.readable(let mail), .accepted):
                finished.append(mail.id)
                counter(.accepted).increment()
            case (.readable(let mail), .dropped): finished.append(mail.id)
            case (.readable(let mail), .rejected(let code)):
                finished.append(mail.id)
                reject(mail.id, code, mail.content)
            case (.readable(let mail), .failed(let code)):
                released.append((mail, now + MailRetry.pause(attempts: mail.attempts)))
                counter(.failed).increment()
                dependencies.log.warn(
                    "mail.not-accepted", ["mail": .public(mail.id), "error": .public(code.rawValue)],
                    trace: mail.content.trace)
            case (.readable(let mail), .receiverUnavailable), (.readable(let mail), .interrupted):
                released.append((mail, now))
            case (.unreadable(let id), _):
                finished.append(id)
                reject(id, .internal, nil)
            }
        }
        try await dependencies.store.deleteMails(finished)
        try await dependencies.store.releaseMails(released, at: now)
    }

    private func reject(_ id: String, _ code: WireError.Code, _ content: PendingMail.Content?) {
        counter(.rejected).increment()
        dependencies.log.error(
            "mail.rejected",
            [
                "mail": .public(id), "error": .public(code.rawValue),
                "purpose": .public(content?.email.purpose.rawValue ?? "-"),
            ], trace: content?.trace)
    }

    // MARK: Metrics

    private enum Result: String, CaseIterable {
        case accepted, failed, rejected, expired
    }

    private func counter(_ result: Result) -> Metrics.Counter {
        dependencies.metrics.counter("latchkey_identity_mails_total", ["result": result.rawValue])
    }

    private func measure() async throws {
        let (count, oldest) = try await dependencies.store.mailBacklog()
        let now = dependencies.now()
        dependencies.metrics.gauge("latchkey_identity_pending_mails").set(Double(count))
        dependencies.metrics.gauge("latchkey_identity_oldest_pending_mail_seconds")
            .set(oldest.map { Double(max(0, now.milliseconds - $0.milliseconds)) / 1000 } ?? 0)
    }

    /// Deletes mails whose links have expired.
    func deleteExpired() async throws {
        guard let now = try await dependencies.trustedNow() else { return }
        var hasMore = true
        while hasMore {
            let expired = try await dependencies.store.deleteExpiredMails(at: now)
            hasMore = expired.hasMore
            guard expired.lost > 0 else { continue }
            counter(.expired).increment(by: Double(expired.lost))
            dependencies.log.error("mail.expired", ["count": .public(expired.lost)])
        }
    }
}
