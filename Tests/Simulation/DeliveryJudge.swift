// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import SQL
    import Vocabulary

    @testable import IdentityService

    /// What was promised about messages and events, and what came of them, read from the databases after each commit.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class DeliveryJudge: @unchecked Sendable {
        private struct Event {
            var account: String
            var sequence: Int64
            var webhooks: [String]
        }

        private struct Lease {
            var holder: String
            var number: Int64
            var beganAt: ContinuousClock.Instant
            /// In milliseconds since 1970.
            var until: Int64
        }

        private unowned let scenario: DeliveryScenario
        private var world: World { scenario.world }
        private var identity: SimulatedDisk { scenario.identityDisk }
        private var notifier: SimulatedDisk { scenario.notifierDisk }

        /// The e-mails that identity has committed and not handed over.
        private var pendingEmails: Set<String> = []
        /// All account events that identity has committed.
        private var events: [String: Event] = [:]
        private var pendingEvents: Set<String> = []
        /// When an account was deleted, by service and account.
        private var pendingDeletions: [String: Int64] = [:]
        /// Service, account and time of each deletion that a service was told.
        private var toldDeletions: Set<String> = []
        /// The state of each message, and of each event of a webhook, as `webhook/event`.
        private var messages: [String: String] = [:]
        private var deliveries: [String: String] = [:]
        private var expiries: [String: Int64] = [:]
        /// The positions of events by their sequence, by webhook and account.
        private var positions: [String: [Int64: Int64]] = [:]
        private var acknowledged: [String: String] = [:]
        /// By message.
        private var leases: [String: Lease] = [:]

        init(_ scenario: DeliveryScenario) { self.scenario = scenario }

        // MARK: Identity

        /// What leaves the database of identity is in that of its receiver.
        func inspectIdentity() throws {
            let emails = Set(
                try identity.rows("SELECT mail_id FROM pending_mails").map { try $0.get("mail_id") as String })
            for id in pendingEmails.subtracting(emails).sorted() {
                let isAccepted = try !notifier.rows("SELECT 1 FROM messages WHERE idempotency_key = $1", .text(id))
                    .isEmpty
                if !isAccepted { world.report("the e-mail \(id) is lost between identity and notifier") }
            }
            pendingEmails = emails

            var rows: Set<String> = []
            for row in try identity.rows("SELECT event_id, account_id, sequence, webhook_ids FROM account_events") {
                let id: String = try row.get("event_id")
                rows.insert(id)
                guard events[id] == nil else { continue }
                let webhooks: String = try row.get("webhook_ids")
                events[id] = Event(
                    account: try row.getIfPresent("account_id") ?? "", sequence: try row.get("sequence"),
                    webhooks: webhooks.split(separator: ",").map(String.init))
            }
            for id in pendingEvents.subtracting(rows).sorted() {
                for webhook in events[id]?.webhooks ?? [] where deliveries["\(webhook)/\(id)"] == nil {
                    world.report("the event \(id) for \(webhook) is lost between identity and notifier")
                }
            }
            pendingEvents = rows

            var deletions: [String: Int64] = [:]
            for row in try identity.rows("SELECT account_id, service, deleted_at FROM deleted_accounts") {
                let (account, service): (String, String) = (try row.get("account_id"), try row.get("service"))
                deletions["\(service) \(account)"] = try row.get("deleted_at")
            }
            for (key, deletedAt) in pendingDeletions.sorted(by: { $0.key < $1.key })
            where deletions[key] == nil && !toldDeletions.contains("\(key) \(deletedAt)") {
                world.report("the service of \(key) was not told of the deletion")
            }
            pendingDeletions = deletions
        }

        /// A service gets a request about deleted accounts.
        func isTold(_ request: some BusRequest) {
            switch request {
            case let request as ForgetAccounts<Passkey>: isTold(.passkey, request.accounts)
            case let request as ForgetAccounts<MFATOTP>: isTold(.mfaTOTP, request.accounts)
            case let request as ForgetAccounts<MFASMS>: isTold(.mfaSMS, request.accounts)
            default: world.report("no service has the operation \(type(of: request).operation.rawValue)")
            }
        }

        private func isTold(_ holder: AccountDataHolder, _ accounts: [DeletedAccount]) {
            for account in accounts {
                toldDeletions.insert("\(holder.rawValue) \(account.id.rawValue) \(account.deletedAt.milliseconds)")
            }
        }

        // MARK: Notifier

        /// In milliseconds since 1970.
        private var wall: Int64 { world.time.clocks(of: ClockOffsets()).wall.milliseconds }
        /// How far the clocks of processes may be from it, in milliseconds.
        private let clockTolerance: Int64 = 10_000

        func messageIsAcknowledged(_ id: MessageID, _ key: String) {
            if messages[id.rawValue] == nil { world.report("the message \(id) was acknowledged, and is not stored") }
            if let earlier = acknowledged.updateValue(id.rawValue, forKey: key), earlier != id.rawValue {
                world.report("the key \(key) has two messages")
            }
        }

        func inspectNotifier() throws {
            try inspectMessages()
            try inspectEvents()
        }

        private func inspectMessages() throws {
            try inspectLeases()
            for row in try notifier.rows(
                """
                SELECT message_id, state, problem, outbox_id FROM (SELECT m.message_id, m.state, m.problem,
                    (SELECT COUNT(*) FROM outbox AS o WHERE o.message_id = m.message_id) AS outbox_id FROM messages AS m)
                """)
            {
                let (id, state): (String, String) = (try row.get("message_id"), try row.get("state"))
                let isQueued = try row.get("outbox_id") as Int64 == 1
                if isQueued != (state == "pending") {
                    world.report("the message \(id) is \(state), and its queue differs")
                }
                let former = messages.updateValue(state, forKey: id)
                guard former != state else { continue }
                switch (former, state) {
                case (nil, "pending"): break
                case ("pending", "sent"):
                    if !scenario.servers.hasAccepted(id) {
                        world.report("the message \(id) is sent, and was never committed")
                    }
                case ("pending", "failed"): try requireReason(id, row.getIfPresent("problem") ?? "-")
                default: world.report("the message \(id) was \(former ?? "unknown"), and is \(state)")
                }
            }
        }

        /// The lease of a message stays while its holder sends the message: nobody else says what came of it.
        private func inspectLeases() throws {
            var current: [String: Lease] = [:]
            for row in try notifier.rows("SELECT message_id, expires_at, due_at, lease_holder, attempts FROM outbox") {
                let id: String = try row.get("message_id")
                expiries[id] = try row.get("expires_at")
                guard let holder: String = try row.getIfPresent("lease_holder") else { continue }
                let number: Int64 = try row.get("attempts")
                if let former = leases[id], former.number == number {
                    current[id] = former
                } else {
                    current[id] = Lease(
                        holder: holder, number: number, beganAt: world.time.steady, until: try row.get("due_at"))
                    if let former = leases[id] { scenario.servers.leaseIsTaken(id, from: former.holder) }
                }
            }
            for (id, lease) in leases.sorted(by: { $0.key < $1.key })
            where current[id] == nil && wall + clockTolerance < lease.until
                && scenario.servers.isSending(id, from: lease.holder, since: lease.beganAt)
            {
                world.report("\(id) has an outcome while \(lease.holder) sends it")
            }
            leases = current
        }

        /// A message fails when it expires, or would before its next attempt. No server of the simulation rejects one for good.
        private func requireReason(_ id: String, _ problem: String) throws {
            let longestWait: Int64 = 60_000 + 30_000
            guard let expiry = expiries[id], wall + longestWait + clockTolerance >= expiry else {
                return world.report("the message \(id) failed before its time: \(problem)")
            }
        }

        private func inspectEvents() throws {
            for row in try notifier.rows("SELECT webhook_id, event_id, position, state FROM webhook_events") {
                let (webhook, event): (String, String) = (try row.get("webhook_id"), try row.get("event_id"))
                let key = "\(webhook)/\(event)"
                let state: String = try row.get("state")
                let former = deliveries.updateValue(state, forKey: key)
                guard former != state else { continue }
                switch (former, state) {
                case (nil, "pending"): requireOrder(of: event, at: try row.get("position"), webhook)
                case ("pending", "delivered"):
                    if !scenario.servers.hasAccepted(key) {
                        world.report("the event \(key) is delivered, and was never committed")
                    }
                default: world.report("the event \(key) was \(former ?? "unknown"), and is \(state)")
                }
            }
            let lost = try notifier.rows(
                """
                SELECT event_id FROM webhook_events AS e WHERE state = 'pending' AND NOT EXISTS
                    (SELECT 1 FROM webhook_queues AS q WHERE q.webhook_id = e.webhook_id AND q.tenant = e.tenant
                     AND q.account_id = e.account_id)
                """)
            for row in lost { world.report("the event \(try row.get("event_id") as String) waits without a queue") }
        }

        /// A webhook has the events of an account at positions in their order.
        private func requireOrder(of id: String, at position: Int64, _ webhook: String) {
            guard let event = events[id] else { return world.report("the event \(id) was never committed") }
            let queue = "\(webhook) \(event.account)"
            for (sequence, other) in positions[queue] ?? [:] where (sequence < event.sequence) != (other < position) {
                world.report("\(webhook) has the events \(sequence) and \(event.sequence) in another order")
            }
            positions[queue, default: [:]][event.sequence] = position
        }

        /// Each event of an account is sent after the earlier ones were delivered.
        func eventIsSent(_ id: String, to webhook: String) {
            guard let event = events[id] else { return world.report("the event \(id) was never committed") }
            for (earlier, other) in events.sorted(by: { $0.key < $1.key })
            where other.account == event.account && other.sequence < event.sequence && other.webhooks.contains(webhook)
                && deliveries["\(webhook)/\(earlier)"] != "delivered"
            {
                world.report("\(webhook) gets the event \(id) of \(event.account) before \(earlier)")
            }
        }

        // MARK: End

        var isDrained: Bool {
            pendingEmails.isEmpty && pendingEvents.isEmpty && pendingDeletions.isEmpty
                && messages.values.allSatisfy { $0 != "pending" } && deliveries.values.allSatisfy { $0 != "pending" }
        }

        func requireEnd() {
            for id in pendingEmails.sorted() { world.report("the e-mail \(id) waits for the notifier") }
            for id in pendingEvents.sorted() { world.report("the event \(id) waits for the notifier") }
            for key in pendingDeletions.keys.sorted() { world.report("the deletion \(key) waits for its service") }
            for (id, state) in messages.sorted(by: { $0.key < $1.key }) where state == "pending" {
                world.report("the message \(id) waits")
            }
            for (key, state) in deliveries.sorted(by: { $0.key < $1.key }) where state == "pending" {
                world.report("the event \(key) waits")
            }
        }
    }

#endif
