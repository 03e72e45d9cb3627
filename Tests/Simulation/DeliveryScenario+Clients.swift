// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import SQL
    import TestSupport
    import Vocabulary

    @testable import IdentityService

    /// What clients ask.
    extension DeliveryScenario {
        /// mfa-sms asks for messages, and repeats a request without a reply under its key.
        func sendMessages() async {
            let peers = SimulatedPeers(scenario: self, process: client)
            while !isClosing, !client.isEnded {
                operationCount += 1
                let key = String(format32: world.random.next(), world.random.next())
                let trace = TraceContext.random()
                guard let phone = PhoneNumber("+15005550010") else { preconditionFailure("a phone number") }
                let isPush = world.random.chance(percent: 30)
                for attempt in 1...3 {
                    do {
                        let id =
                            if isPush {
                                try await peers.send(
                                    Notifier.SendPush(
                                        project: Self.realm.project, deviceToken: Secret("00112233445566778899"),
                                        isSandbox: false, bundleID: "com.example.app", receipt: "r", secret: Secret("s")
                                    ),
                                    trace: trace, timeout: .seconds(3), idempotencyKey: key
                                ).messageID
                            } else {
                                try await peers.send(
                                    Notifier.SendSMS(
                                        realm: Self.realm, recipient: phone, region: "US", purpose: .secondFactorSignIn,
                                        code: Secret("123456"), appName: "Demo"),
                                    trace: trace, timeout: .seconds(3), idempotencyKey: key
                                ).messageID
                            }
                        judge.messageIsAcknowledged(id, key)
                        break
                    } catch {
                        if attempt == 3 { refusalCount += 1 }
                    }
                }
                try? await client.pause(for: plan.pauseOfClients * (1 + world.random.index(below: 3)))
            }
        }

        private func serving() -> (SimulatedMember, IdentityStore)? {
            let stores = members(of: .identity).compactMap { member in
                member.isServing ? member.identity.map { (member, $0) } : nil
            }
            return stores.isEmpty ? nil : stores[world.random.index(below: stores.count)]
        }

        func scheduleChange() {
            world.schedule(after: plan.pauseOfClients * (1 + world.random.index(below: 3)) / 2) { [unowned self] in
                guard !isClosing else { return }
                if let (member, store) = serving() {
                    operationCount += 1
                    let account = AccountID("account-\(world.random.index(below: plan.accounts))")
                    let choice = world.random.index(below: 10)
                    member.process.begin { [unowned self] in
                        do {
                            try await change(account, choice, store, at: member.process.now().wall)
                        } catch let error as ServiceError
                            where [.accountNotFound, .accountIDExists].contains(error.code)
                        {
                            refusalCount += 1
                        } catch is SQLError {
                            refusalCount += 1
                        } catch {
                            world.report("\(member.process.name) cannot change an account: \(error)")
                        }
                    }
                }
                scheduleChange()
            }
        }

        private func change(_ id: AccountID, _ choice: Int, _ store: IdentityStore, at now: Moment) async throws {
            switch choice {
            case 0:
                try await store.delete(
                    id, in: Self.realm, at: now, audit: Self.entry(.accountDeleted, at: now), idempotency: nil)
            case 1...5:
                let mail = try email(at: now)
                _ = try await store.change(
                    id, in: Self.realm, audit: Self.entry(.accountUpdated, at: now), idempotency: nil,
                    mails: { _, _ in choice < 3 ? [mail] : [] }
                ) { stored in
                    stored.account.disabled.toggle()
                    return EmptyReply()
                }
            default:
                _ = try await store.create(
                    StoredAccount(id: id, in: Self.realm, at: now), audit: Self.entry(.accountCreated, at: now),
                    idempotency: nil,
                    reply: EmptyReply())
            }
        }

        private func email(at now: Moment) throws -> NewEmail {
            guard let recipient = EmailAddress("ada@example.com") else { preconditionFailure("an address") }
            let email = Notifier.SendEmail(
                realm: Self.realm, recipient: recipient, purpose: .resetPassword, appName: "Demo",
                link: "https://example.com/?oobCode=x")
            return NewEmail(
                mail: PendingEmail(
                    id: String(format32: world.random.next(), world.random.next()), email, code: nil, trace: .random(),
                    at: now))
        }

        func addWebhooks() {
            guard let (member, store) = serving() else { return world.report("identity does not start") }
            let now = member.process.now().wall
            member.process.begin { [world, plan] in
                do {
                    let project = Project.new(Self.realm.project, apiKey: "the-key", isDev: true) { count in
                        Array(repeating: 1, count: count)
                    }
                    _ = try await store.createProject(project, at: now, audit: Self.entry(.projectCreated, at: now))
                } catch {
                    world.report("no project can be added: \(error)")
                }
                for number in 0..<plan.webhooks {
                    let name = Self.webhook(number)
                    let webhook = Identity.Webhook(
                        id: WebhookID(name), project: Self.realm.project, url: "https://hooks.example.com/\(name)",
                        kinds: [], isDisabled: false, createdAt: now, revision: 1)
                    do {
                        _ = try await store.createWebhook(
                            StoredWebhook(
                                webhook: webhook,
                                secrets: WebhookRules.rotating([], to: Array(repeating: 7, count: 32), at: now),
                                acceptedRevision: 0, isDeleted: false), audit: Self.entry(.webhookCreated, at: now),
                            idempotency: nil, reply: EmptyReply())
                    } catch {
                        world.report("no webhook can be added: \(error)")
                    }
                }
            }
        }

        private static func entry(_ action: AuditEntry.Action, at now: Moment) -> AuditEntry {
            AuditEntry(at: now, realm: realm, action: action, actor: .administrator, traceID: "simulation")
        }
    }

    extension String {
        /// 32 hexadecimal digits.
        fileprivate init(format32 high: UInt64, _ low: UInt64) { self = RequestID(high: high, low: low).description }
    }

#endif
