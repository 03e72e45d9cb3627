// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Contracts
    import FoundationEssentials
    import HTTPClient
    import SMTPClient
    import TestSupport
    import Vocabulary

    @testable import NotifierService

    /// The servers that messages and events go to: a mail server, two providers of SMS, APNs and the endpoints of webhooks.
    /// They remember what they took, and what the senders know about it.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class SimulatedServers: @unchecked Sendable {
        typealias Instant = ContinuousClock.Instant

        enum Trouble { case down, slow, refusing, lying }

        /// How a server treats one request.
        private enum Treatment {
            case accept
            case refuse
            /// It takes the request, and the sender gets no reply, or that of an error.
            case acceptAndLose, acceptLate, acceptAndFail
            case refuseConnection, neverReply
        }

        /// What the sender of a request learns.
        enum Reply: Equatable {
            case accepted, refused, failed, unreachable, timedOut, connectionLost
            /// The sender does not wait any more.
            case cancelled
        }

        /// One request for a message or event.
        final class Attempt {
            let server: String
            let process: SimulatedProcess
            let beganAt: Instant
            /// Its process stood still for longer than its lease, and sends what it had begun to send before.
            let mayLackLease: Bool
            var acceptedAt: Instant?
            var reply: Reply?
            var repliedAt: Instant?

            init(server: String, process: SimulatedProcess, mayLackLease: Bool) {
                self.server = server
                self.mayLackLease = mayLackLease
                self.process = process
                beganAt = process.world.time.steady
            }
        }

        let world: World
        /// After which outcomes may not have been stored.
        unowned let disk: SimulatedDisk
        /// By the ID of the message, or of webhook and event.
        private(set) var attempts: [String: [Attempt]] = [:]
        /// The next process that sends a message goes on when another one has leased the message, or after its lease.
        var nextSenderStandsStill = false
        /// The processes that did.
        private var outlasting: Set<String> = []
        /// When a process last began an attempt, by process and message.
        private var beginnings: [String: Instant] = [:]
        private var troubles: [String: (trouble: Trouble, until: Instant)] = [:]
        let names: [String]

        init(_ names: [String], _ disk: SimulatedDisk, in world: World) {
            self.names = names
            self.disk = disk
            self.world = world
        }

        func set(_ trouble: Trouble, until end: Instant, choice: Int) {
            troubles[names[choice % names.count]] = (trouble, end)
        }

        func hasAccepted(_ id: String) -> Bool { attempts[id]?.contains { $0.acceptedAt != nil } ?? false }

        func hasRefused(_ id: String) -> Bool { attempts[id]?.contains { $0.reply == .refused } ?? false }

        func wasAttempted(_ id: String) -> Bool { attempts[id] != nil }

        /// Whether a process waits for the reply to a request that it began at an instant or later.
        func isSending(_ id: String, from process: String, since instant: Instant) -> Bool {
            attempts[id]?.contains {
                $0.process.name == process && !$0.process.isEnded && $0.beganAt >= instant && $0.repliedAt == nil
            } ?? false
        }

        /// Another process has the lease of a message. The one that had it goes on soon, if it stands still.
        func leaseIsTaken(_ id: String, from holder: String) {
            guard let process = attempts[id]?.last(where: { $0.process.name == holder })?.process,
                case .paused(let until) = process.condition
            else { return }
            let soon = world.time.steady + .microseconds(world.random.index(below: 40_000))
            process.condition = .paused(until: min(until, soon))
        }

        /// The transport, which says when an attempt begins.
        func observed(_ transport: Transport, by process: SimulatedProcess) -> Transport {
            Transport(
                channel: transport.channel,
                deliver: { [unowned self] leased in
                    beginnings["\(process.name) \(leased.message.id)"] = world.time.steady
                    return await transport.deliver(leased)
                }, concurrency: transport.concurrency, attemptTimeout: transport.attemptTimeout)
        }

        /// A process sends a request. Its reply comes after a while, at the latest after `timeout`.
        func exchange(
            _ id: String, with server: String, from process: SimulatedProcess, timeout: Duration
        ) async -> Reply {
            // An attempt that had not begun before does not begin any more.
            let mayLackLease =
                outlasting.contains(process.name)
                && beginnings["\(process.name) \(id)"].map { $0 < process.resumedAt } ?? false
            if !mayLackLease { check(id, server, process) }
            let attempt = Attempt(server: server, process: process, mayLackLease: mayLackLease)
            attempts[id, default: []].append(attempt)
            // An event of a webhook has no lease of its own.
            if nextSenderStandsStill, !id.contains("/"), process.condition == .running {
                nextSenderStandsStill = false
                outlasting.insert(process.name)
                process.condition = .paused(until: world.time.steady + .seconds(100))
            }
            let treatment = treatment(by: server)
            world.note("\(process.name) sends \(id) to \(server), which will \(treatment)")
            let way = Duration.microseconds(200 + world.random.index(below: 30_000))
            var wait = way * 2
            let reply: Reply
            switch treatment {
            case .accept:
                if isIn(.slow, server) {
                    wait = .milliseconds(world.random.index(below: Int(timeout / .milliseconds(1))))
                }
                reply = .accepted
            case .refuse: reply = .refused
            case .acceptAndLose: reply = .connectionLost
            case .acceptLate: (wait, reply) = (timeout, .timedOut)
            case .acceptAndFail: reply = .failed
            case .refuseConnection: reply = .unreachable
            case .neverReply: (wait, reply) = (timeout, .timedOut)
            }
            switch treatment {
            case .accept, .acceptAndLose, .acceptAndFail, .acceptLate:
                let arrival = treatment == .acceptLate ? timeout * 2 : min(way, wait)
                // A late server may take it while it is sent again.
                world.schedule(after: treatment == .acceptLate ? arrival / (1 + world.random.index(below: 8)) : arrival)
                {
                    attempt.acceptedAt = attempt.process.world.time.steady
                }
            case .refuse, .refuseConnection, .neverReply: break
            }
            do {
                try await process.pause(for: wait)
                attempt.reply = reply
            } catch {
                attempt.reply = .cancelled
            }
            attempt.repliedAt = world.time.steady
            return attempt.reply ?? .cancelled
        }

        private func isIn(_ trouble: Trouble, _ server: String) -> Bool {
            troubles[server].map { $0.trouble == trouble && $0.until > world.time.steady } ?? false
        }

        private func treatment(by server: String) -> Treatment {
            guard let (trouble, until) = troubles[server], until > world.time.steady else { return .accept }
            switch trouble {
            case .down: return world.random.chance(percent: 80) ? .refuseConnection : .neverReply
            case .slow: return world.random.chance(percent: 80) ? .accept : .neverReply
            case .refusing: return world.random.chance(percent: 70) ? .refuse : .accept
            case .lying: return [.accept, .acceptAndLose, .acceptLate, .acceptAndFail][world.random.index(below: 4)]
            }
        }

        // MARK: What must hold

        /// A message is sent again only after an attempt whose outcome its sender may not know, or could not store.
        private func check(_ id: String, _ server: String, _ process: SimulatedProcess) {
            for earlier in attempts[id] ?? [] where !isExcused(earlier) {
                guard let reply = earlier.reply else {
                    world.report("\(process.name) sends \(id) while \(earlier.process.name) does")
                    continue
                }
                switch reply {
                case .accepted: world.report("\(process.name) sends \(id) again, which \(earlier.server) had accepted")
                case .connectionLost, .timedOut:
                    // Another provider of SMS would send it twice.
                    if earlier.acceptedAt != nil, earlier.server != server {
                        world.report("\(process.name) sends \(id) to \(server), which \(earlier.server) may have sent")
                    }
                case .refused, .failed, .unreachable, .cancelled: break
                }
            }
        }

        private func isExcused(_ attempt: Attempt) -> Bool {
            let end = attempt.repliedAt ?? attempt.beganAt
            // It ended before it could store the outcome.
            if let endedAt = attempt.process.endedAt { return endedAt < end + .seconds(30) }
            return attempt.mayLackLease || attempt.process.resumedAt > attempt.beganAt
                || attempt.process.condition != .running || disk.troubleUntil >= end
        }

        // MARK: Protocols

        func send(_ message: SMTPMessage, from process: SimulatedProcess) async throws(SMTPError) {
            switch await exchange(message.id, with: "mail", from: process, timeout: .seconds(60)) {
            case .accepted: return
            case .refused: throw .refused(.content, code: 451)
            case .failed: throw .refused(.content, code: 452)
            case .unreachable: throw .cannotConnect
            case .timedOut: throw .timedOut(.content)
            case .connectionLost: throw .connectionLost(.content)
            case .cancelled: throw .aborted
            }
        }

        /// - Parameter isIdempotent: whether it sends a message twice that it gets twice.
        func smsProvider(_ name: String, isIdempotent: Bool, for process: SimulatedProcess) -> SMSProvider {
            let timeout = Duration.seconds(10)
            return SMSProvider(name: name, callTimeout: timeout, isIdempotent: isIdempotent) { [self] message in
                switch await exchange(message.id.rawValue, with: name, from: process, timeout: timeout) {
                case .accepted: .sent(nil)
                case .refused: .throttled(DeliveryFailure(.deferred, code: 429))
                case .failed: .uncertain(DeliveryFailure(.timedOut, code: 504))
                case .unreachable: .unavailable(DeliveryFailure(.unreachable))
                case .timedOut: .uncertain(DeliveryFailure(.timedOut))
                case .connectionLost: .uncertain(DeliveryFailure(.connectionLost))
                case .cancelled: .throttled(DeliveryFailure(.interrupted))
                }
            }
        }

        func apns(for process: SimulatedProcess) -> HTTPSend {
            { [self] request throws(HTTPClientError) in
                let id = request.headers.first { $0.name == "apns-id" }?.value.replacing("-", with: "") ?? ""
                return try await respond(id, from: "apns", to: process, timeout: .seconds(5), refusal: 429)
            }
        }

        func endpoints(
            for process: SimulatedProcess, checking check: @escaping (_ webhook: String, _ event: String) -> Void
        )
            -> HTTPSend
        {
            // Only the scheduler calls it.
            nonisolated(unsafe) let check = check
            return { [self] request throws(HTTPClientError) in
                let webhook = request.url.split(separator: "/").last.map(String.init) ?? ""
                let event = request.headers.first { $0.name == "webhook-id" }?.value ?? ""
                check(webhook, event)
                return try await respond(
                    "\(webhook)/\(event)", from: webhook, to: process, timeout: WebhookTransport.timeout,
                    refusal: world.random.chance(percent: 50) ? 500 : 503)
            }
        }

        private func respond(
            _ id: String, from server: String, to process: SimulatedProcess, timeout: Duration, refusal: Int
        ) async throws(HTTPClientError) -> HTTPClientResponse {
            switch await exchange(id, with: server, from: process, timeout: timeout) {
            case .accepted: return HTTPClientResponse(status: 200, headers: [], body: Data())
            case .refused: return HTTPClientResponse(status: refusal, headers: [], body: Data())
            case .failed: return HTTPClientResponse(status: 500, headers: [], body: Data())
            case .unreachable: throw .cannotConnect
            case .timedOut: throw .timedOut
            case .connectionLost: throw .other(code: 56, "connection lost")
            case .cancelled: throw .cancelled
            }
        }
    }

#endif
