import Bus
import Contracts
import Crypto
import PhoneNumbers
import ServiceRuntime
import Vocabulary

/// A code that somebody wants sent.
private struct CodeOrder {
    var realm: Realm
    var number: DialledNumber
    var purpose: ProposedSend.Purpose
    var accountID: AccountID?
    var factorID: FactorID?
    var credential: MFASMS.AppCredential
    var locale: String?
    var client: ClientContext

    var proposedSend: ProposedSend {
        .init(
            realm: realm, number: number, purpose: purpose, accountID: accountID, ipAddress: client.ipAddress)
    }
}

/// What begins with a message.
extension MFASMSService {
    func sendSignInCode(_ request: MFASMS.SendSignInCode, _ call: BusCall) async throws -> MFASMS.SentCode {
        // An absent number is as malformed as any other (REST 2.7, as the emulator has it).
        guard let number = Self.dialled(request.phoneNumber ?? "") else { throw SMSError.invalidPhoneNumber }
        _ = try await dependencies.neighbours.checkPhoneSignIn(
            .init(realm: request.realm, phoneNumber: number.number), errand(call))
        return try await send(
            CodeOrder(
                realm: request.realm, number: number, purpose: .signIn, credential: request.credential,
                locale: request.locale, client: request.client), call)
    }

    func startEnrollment(_ request: MFASMS.StartEnrollment, _ call: BusCall) async throws -> MFASMS.SentCode {
        let number = request.phoneNumber.flatMap(Self.dialled)
        let checked = try await dependencies.neighbours.checkEnrollment(
            .init(
                realm: request.realm, idToken: request.idToken, method: .phone, phoneNumber: number?.number,
                stage: .start), errand(call))
        guard let number else { throw SMSError.invalidPhoneNumber }
        return try await send(
            CodeOrder(
                realm: checked.principal.realm, number: number, purpose: .enrollment,
                accountID: checked.principal.accountID, factorID: newFactorID(), credential: request.credential,
                locale: request.locale, client: request.client), call)
    }

    func startSignIn(_ request: MFASMS.StartSignIn, _ call: BusCall) async throws -> MFASMS.SentCode {
        let pending = try await dependencies.neighbours.resolvePendingSignIn(
            .init(project: request.project, tenant: request.tenant, credential: request.pendingCredential), errand(call)
        )
        guard let factor = pending.factors.first(where: { $0.id == request.factorID }) else {
            let configuration = try await configuration(of: pending.realm, call)
            throw configuration.isSwitchedOn(.phone) ? SMSError.factorNotFound : .secondFactorsOff
        }
        // A number was checked when it became a factor; what we make of it may have changed since.
        guard case .phone(let phone) = factor.kind, let number = Self.dialled(phone.rawValue) else {
            throw SMSError.invalidPhoneNumber
        }
        return try await send(
            CodeOrder(
                realm: pending.realm, number: number, purpose: .secondFactor, accountID: pending.accountID,
                factorID: factor.id, credential: request.credential, locale: request.locale, client: request.client),
            call)
    }

    /// Sends a code: first what costs nothing, then what is counted, then what costs.
    private func send(_ order: CodeOrder, _ call: BusCall) async throws -> MFASMS.SentCode {
        let configuration = try await configuration(of: order.realm, call)
        let testCode = configuration.testCode(of: order.number.number)
        if testCode == nil,
            let refusal = regionRefusal(of: order.number, configuration, dependencies.store.rules.policy)
        {
            dependencies.sendingCounters.countRefused(order.proposedSend, for: refusal)
            throw refusal
        }
        try await dependencies.demandAppCredential(order.credential, order.realm, configuration, order.client)

        let code = testCode ?? SMSCode(randomBytes: dependencies.randomBytes)
        let sessionInfo = Secret(Base64URL.encode(dependencies.randomBytes(32)))
        let session = newSession(sessionInfo, code, for: order, isTest: testCode != nil)
        let refusal = try await dependencies.store.begin(
            session, from: order.client.ipAddress,
            devCode: dependencies.isDev ? DevCode(code: code.text, sessionInfo: sessionInfo) : nil,
            at: session.createdAt)
        if let refusal {
            dependencies.sendingCounters.countRefused(order.proposedSend, for: refusal)
            throw refusal
        }
        if session.isTest {
            dependencies.counters.count(.test, order.purpose)
        } else {
            do {
                _ = try await dependencies.neighbours.sendSMS(
                    message(code, for: order, configuration), errand(call, atMost: Self.notifierPatience))
            } catch {
                try await takeBack(session, order.client.ipAddress, after: error, call)
                throw SMSError.cannotSend
            }
            dependencies.sendingCounters.countSent()
        }
        tell("sms.code-sent", session, call)
        return .init(sessionInfo: sessionInfo)
    }

    private func newSession(
        _ sessionInfo: Secret<String>, _ code: SMSCode, for order: CodeOrder, isTest: Bool
    ) -> VerificationSession {
        let digests = dependencies.store.digests
        let id = digests.session(sessionInfo.reveal())
        return VerificationSession(
            id: id, realm: order.realm, purpose: order.purpose, number: order.number, accountID: order.accountID,
            factorID: order.factorID, isTest: isTest, codeDigest: digests.code(code.text.reveal(), of: id),
            createdAt: dependencies.now())
    }

    private func message(
        _ code: SMSCode, for order: CodeOrder, _ configuration: ProjectConfiguration
    ) -> Notifier.SendSMS {
        let purpose: Notifier.SMSPurpose =
            switch order.purpose {
            case .signIn: .phoneSignIn
            case .enrollment: .secondFactorEnrollment
            case .secondFactor: .secondFactorSignIn
            }
        return .init(
            realm: order.realm, recipient: order.number.number, region: order.number.region, purpose: purpose,
            code: code.text, locale: configuration.messageLocale(order.locale),
            defaultLocale: configuration.notification?.defaultLocale, appName: order.realm.project.rawValue,
            originDomain: configuration.originDomain ?? dependencies.originDomain,
            template: configuration.notification?.sendSms?.smsTemplate?.content)
    }

    /// The message was not accepted: the code is void, and costs nothing if nobody has it.
    private func takeBack(
        _ session: VerificationSession, _ ipAddress: String?, after error: any Error, _ call: BusCall
    ) async throws {
        dependencies.counters.count(.undelivered, session.purpose)
        dependencies.log.error(
            "sms.not-accepted",
            ["project": .public(session.realm.project), "error": .kind(of: error)], trace: call.trace)
        // Without an answer it may be on its way.
        let isRefunded = (error as? WireError)?.code != .deadlineExceeded
        try await dependencies.store.void(session, from: ipAddress, isRefunded: isRefunded)
        if isRefunded { dependencies.sendingCounters.countRefunded() }
    }

    private func configuration(of realm: Realm, _ call: BusCall) async throws -> ProjectConfiguration {
        try await dependencies.neighbours.resolveConfiguration(.init(realm: realm), errand(call)).configuration
    }

    static func dialled(_ text: String) -> DialledNumber? {
        // `try?`: what is wrong with it is not told.
        try? DialledNumber(text)
    }

    /// A random UUID (RFC 9562 §5.4), as production makes them.
    private func newFactorID() -> FactorID {
        FactorID(RandomUUID.text(of: dependencies.randomBytes(16)))
    }
}

extension MFASMSService {
    /// Says what happened, without number or code.
    func tell(_ event: StaticString, _ session: VerificationSession, _ call: BusCall) {
        dependencies.log.info(
            event,
            [
                "project": .public(session.realm.project), "purpose": .public(session.purpose.rawValue),
                "number": session.isTest ? "test" : "real",
            ], trace: call.trace)
    }
}
