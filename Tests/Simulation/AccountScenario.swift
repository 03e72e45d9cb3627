// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import FoundationEssentials
    import HTTPServer
    import TestSupport
    import Vocabulary

    @testable import GatewayService

    /// Gateways, identity, mfa-totp, mfa-sms, passkey and federation with their databases, and clients that sign up, sign in and change their
    /// accounts, with faults, from one seed.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class AccountScenario: MemberScenario, @unchecked Sendable {
        /// An e-mail that identity has handed over.
        struct Mail {
            var realm: Realm
            var recipient: String
            var purpose: Notifier.EmailPurpose
            var code: String
        }

        /// An SMS that mfa-sms has handed over.
        struct TextMessage {
            var realm: Realm
            var recipient: String
            var purpose: Notifier.SMSPurpose
            var code: String
        }

        /// A request of a client that a gateway has.
        private struct Exchange {
            unowned let process: SimulatedProcess
            let resume: (HTTPResponse?) -> Void
        }

        static let project = ProjectID("p")
        static let apiKey = "the-key-of-the-applications"
        /// Of passkeys.
        static let relyingParty = "example.com"

        let world: World
        let plan: Plan
        let identityDisk: SimulatedDisk
        let totpDisk: SimulatedDisk
        let smsDisk: SimulatedDisk
        let passkeyDisk: SimulatedDisk
        let federationDisk: SimulatedDisk
        private(set) var judge: AccountJudge!  // Set by `init`.
        var members: [SimulatedMember] = []
        var bus = SimulatedBus()
        /// By the names of their processes.
        var gateways: [String: Gateway] = [:]
        /// All clients. They do not end, so that they remember what was acknowledged.
        private(set) var client: SimulatedProcess!  // Set by `init`.
        private(set) var users: [SimulatedUser] = []
        /// The project, and its tenants once they are created.
        var realms = [Realm(project: AccountScenario.project)]
        private(set) var mails: [Mail] = []
        private(set) var textMessages: [TextMessage] = []
        /// The users of accounts, by the IDs of these.
        var owners: [String: SimulatedUser] = [:]
        private var messageKeys: Set<String> = []
        /// By number, in their order.
        private var exchanges: [Int: Exchange] = [:]
        var operationCount = 0
        var refusalCount = 0
        var signingKeyCount = 0
        private(set) var isClosing = false
        /// It was verified after the faults.
        var isAuditLogWhole = false

        init(seed: UInt64, plan: Plan) {
            self.plan = plan
            world = World(seed: seed, highWaterMark: 1000, ofBroker: 1000)
            do {
                identityDisk = try SimulatedDisk("identity", in: world)
                totpDisk = try SimulatedDisk("mfa-totp", in: world)
                smsDisk = try SimulatedDisk("mfa-sms", in: world)
                passkeyDisk = try SimulatedDisk("passkey", in: world)
                federationDisk = try SimulatedDisk("federation", in: world)
            } catch {
                preconditionFailure("a database in memory cannot be opened: \(error)")
            }
            judge = AccountJudge(world, identity: identityDisk, passkeys: passkeyDisk)
            client = process("clients")
            users = (0..<plan.users).map { SimulatedUser($0, self) }
        }

        var disks: [SimulatedDisk] { [identityDisk, totpDisk, smsDisk, passkeyDisk, federationDisk] }

        // MARK: Run

        func run() {
            for number in 0..<plan.identities { start(.identity, number) }
            for number in 0..<plan.totps { start(.mfaTOTP, number) }
            for number in 0..<plan.smsProcesses { start(.mfaSMS, number) }
            for number in 0..<plan.passkeyProcesses { start(.passkey, number) }
            for number in 0..<plan.federations { start(.federation, number) }
            for number in 0..<plan.gateways { start(.gateway, number) }
            world.run(for: .seconds(5)) {}
            client.begin { [unowned self] in await configure() }
            world.run(for: .seconds(4)) {}
            for fault in plan.faults { world.schedule(after: fault.at) { [unowned self] in begin(fault) } }
            for (number, user) in users.enumerated() {
                let devices = (0..<plan.devices).map { device in
                    ClientChoices(self, number * plan.devices + device, pause: user.nextPause)
                }
                client.begin { await user.own(devices[0]) }
                for choices in devices.dropFirst() { client.begin { await user.use(choices) } }
            }
            let choices = ClientChoices(self, plan.clients - 1) { [unowned self] in
                plan.pauseOfClients * (2 + world.random.index(below: 4))
            }
            client.begin { [unowned self] in await administer(choices) }
            world.run(for: plan.time) {}
            isClosing = true
            // The last faults end, and whatever clients have begun can have no effect any more.
            world.run(for: .seconds(10) + AccountJudge.longestEffect) {}
            guard world.violations.isEmpty else { return }
            for user in users { client.begin { await user.requireEnd() } }
            // Each wrong one of the passwords that may be valid closes the account for a quarter of an hour.
            let end = world.time.steady + .seconds(6 * 3600)
            while world.violations.isEmpty, world.time.steady < end, !users.allSatisfy(\.hasEnded) {
                world.run(for: .seconds(5)) {}
            }
            // What the last requests of the clients have begun.
            world.run(for: .seconds(30)) {}
            guard world.violations.isEmpty else { return }
            for user in users where !user.hasEnded { world.report("\(user.name) waits without end") }
            judge.requireEnd()
            client.begin { [unowned self] in
                await requireSigningKeys()
                await requireWholeAuditLog()
            }
            world.run(for: .seconds(30)) {}
            if world.violations.isEmpty, !isAuditLogWhole { world.report("the audit log is not verified in time") }
        }

        func end() {
            world.end()
            for disk in disks { disk.close() }
            (members, gateways, users, owners, exchanges, client) = ([], [:], [], [:], [:], nil)
        }

        func user(of accountID: String) -> SimulatedUser? { owners[accountID] }

        // MARK: Requests of clients

        /// Sends a request to one of the gateways.
        /// - Returns: nil if the connection ended before the response.
        func exchange(_ request: HTTPRequest) async -> HTTPResponse? {
            operationCount += 1
            let number = operationCount
            // `try?`: the clients end only with the run.
            let response = try? await client.wait { (resume: @escaping (HTTPResponse?) -> Void) in
                send(request, number, resume)
            }
            return response ?? nil
        }

        private var way: Duration { .microseconds(100 + world.random.index(below: 5_000)) }

        private func send(_ request: HTTPRequest, _ number: Int, _ resume: @escaping (HTTPResponse?) -> Void) {
            world.schedule(after: way) { [unowned self] in
                let serving = members(of: .gateway).compactMap { member in
                    member.isServing ? gateways[member.process.name].map { (member.process, $0) } : nil
                }
                guard !serving.isEmpty else { return resume(nil) }
                let (process, gateway) = serving[world.random.index(below: serving.count)]
                exchanges[number] = Exchange(process: process, resume: resume)
                world.note(
                    "\(process.name) gets request \(number): \(request.path) \(String(decoding: request.body.prefix(300), as: UTF8.self))"
                )
                let began = world.time.steady
                process.begin { [unowned self] in
                    let response = await gateway.respond(to: request, on: .public)
                    guard !process.isEnded else { return }
                    finish(number, response)
                }
                let asksProvider = request.path.hasSuffix(":signInWithIdp")
                let timeout = asksProvider ? IdentityToolkit.providerSignInTimeout : Call.signInTimeout
                // The key of the application is resolved before.
                world.schedule(after: .seconds(5) + timeout + .seconds(1)) { [unowned self] in
                    guard exchanges[number] != nil, process.condition == .running, process.resumedAt < began else {
                        return
                    }
                    world.report("\(process.name) does not respond to request \(number): \(request.path)")
                }
            }
        }

        private func finish(_ number: Int, _ response: HTTPResponse) {
            guard let exchange = exchanges.removeValue(forKey: number) else {
                return world.report("the request \(number) has two responses")
            }
            world.note(
                "request \(number) gets \(response.status): \(String(decoding: response.body.prefix(300), as: UTF8.self))"
            )
            world.schedule(after: way) { exchange.resume(response) }
        }

        func hasEnded(_ member: SimulatedMember) {
            gateways[member.process.name] = nil
            for (number, exchange) in exchanges.sorted(by: { $0.key < $1.key })
            where exchange.process === member.process {
                exchanges[number] = nil
                world.schedule(after: way) { exchange.resume(nil) }
            }
        }

        // MARK: Services that no process of the scenario has

        func reply<Request: BusRequest>(to request: Request, _ options: CallOptions) -> Request.Reply? {
            if let email = request as? Notifier.SendEmail {
                take(email, options.idempotencyKey)
                return Notifier.SendEmail.Reply(messageID: MessageID("m")) as? Request.Reply
            }
            if let sms = request as? Notifier.SendSMS {
                take(sms, options.idempotencyKey)
                return Notifier.SendSMS.Reply(messageID: MessageID("m")) as? Request.Reply
            }
            return nil
        }

        private func take(_ email: Notifier.SendEmail, _ key: String?) {
            guard messageKeys.insert(key ?? "").inserted, let link = email.link else { return }
            let items = HTTPRequest.queryItems(of: link.split(separator: "?").last ?? "")
            guard let code = items.first(where: { $0.name == "oobCode" })?.value else { return }
            mails.append(
                Mail(realm: email.realm, recipient: email.recipient.rawValue, purpose: email.purpose, code: code))
        }

        private func take(_ sms: Notifier.SendSMS, _ key: String?) {
            guard messageKeys.insert(key ?? "").inserted else { return }
            textMessages.append(
                TextMessage(
                    realm: sms.realm, recipient: sms.recipient.rawValue, purpose: sms.purpose, code: sms.code.reveal()))
        }
    }

#endif
