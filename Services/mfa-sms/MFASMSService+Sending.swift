import Bus
import Contracts
import Crypto
import PhoneNumbers
import ServiceRuntime
import Vocabulary

/// A request to send a code.
private struct CodeRequest {
    var realm: Realm
    var number: ParsedPhoneNumber
    var purpose: SendAttempt.Purpose
    var accountID: AccountID?
    var factorID: FactorID?
    var credential: MFASMS.AppCredential
    var locale: String?
    var client: ClientContext

    var proposedSend: SendAttempt {
        .init(
            realm: realm, number: number, purpose: purpose, accountID: accountID, ipAddress: client.ipAddress)
    }
}

/// The operations that send a message.
extension MFASMSService {
    func startPhoneSignIn(_ request: MFASMS.StartPhoneSignIn, _ call: BusCall) async throws -> MFASMS.SentCode {
        // An absent number is malformed (REST 2.7, as in the emulator).
        guard let number = Self.parsePhoneNumber(request.phoneNumber ?? "") else { throw SMSError.invalidPhoneNumber }
        _ = try await dependencies.services.checkPhoneSignIn(
            .init(realm: request.realm, phoneNumber: number.number), requestContext(for: call))
        return try await send(
            CodeRequest(
                realm: request.realm, number: number, purpose: .signIn, credential: request.credential,
                locale: request.locale, client: request.client), call)
    }

    func startEnrollment(_ request: MFASMS.StartEnrollment, _ call: BusCall) async throws -> MFASMS.SentCode {
        let number = request.phoneNumber.flatMap(Self.parsePhoneNumber)
        let checked = try await dependencies.services.checkEnrollment(
            .init(
                realm: request.realm, idToken: request.idToken, method: .phone, phoneNumber: number?.number,
                stage: .start), requestContext(for: call))
        guard let number else { throw SMSError.invalidPhoneNumber }
        return try await send(
            CodeRequest(
                realm: checked.principal.realm, number: number, purpose: .enrollment,
                accountID: checked.principal.accountID, factorID: newFactorID(), credential: request.credential,
                locale: request.locale, client: request.client), call)
    }

    func startSignIn(_ request: MFASMS.StartSignIn, _ call: BusCall) async throws -> MFASMS.SentCode {
        let pending = try await dependencies.services.resolvePendingSignIn(
            .init(project: request.project, tenant: request.tenant, credential: request.pendingCredential),
            requestContext(for: call)
        )
        guard let factor = pending.factors.first(where: { $0.id == request.factorID }) else {
            let configuration = try await configuration(of: pending.realm, call)
            throw configuration.isEnabled(.phone) ? SMSError.factorNotFound : .secondFactorDisabled
        }
        // The number was checked at enrollment; the rules of the parser may have changed since.
        guard case .phone(let phone) = factor.kind, let number = Self.parsePhoneNumber(phone.rawValue) else {
            throw SMSError.invalidPhoneNumber
        }
        return try await send(
            CodeRequest(
                realm: pending.realm, number: number, purpose: .secondFactor, accountID: pending.accountID,
                factorID: factor.id, credential: request.credential, locale: request.locale, client: request.client),
            call)
    }

    /// Sends a code: first the checks without cost, then the counts, then the message.
    private func send(_ order: CodeRequest, _ call: BusCall) async throws -> MFASMS.SentCode {
        let configuration = try await configuration(of: order.realm, call)
        let testCode = configuration.testCode(of: order.number.number)
        if testCode == nil,
            let refusal = regionError(of: order.number, configuration, dependencies.store.rules.policy)
        {
            dependencies.sendingCounters.countRefused(order.proposedSend, for: refusal)
            throw refusal
        }
        try await dependencies.verifyAppCredential(order.credential, order.realm, configuration, order.client)

        let code = testCode ?? SMSCode(randomBytes: dependencies.randomBytes)
        let sessionInfo = Secret(Base64URL.encode(dependencies.randomBytes(32)))
        let session = newSession(sessionInfo, code, for: order, isTest: testCode != nil)
        let refusal = try await dependencies.store.insertSession(
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
                _ = try await dependencies.services.sendSMS(
                    message(code, for: order, configuration), requestContext(for: call, timeout: Self.notifierTimeout))
            } catch {
                try await voidSession(session, order.client.ipAddress, after: error, call)
                throw SMSError.messageNotAccepted
            }
            dependencies.sendingCounters.countSent()
        }
        logEvent("sms.code-sent", session, call)
        return .init(sessionInfo: sessionInfo)
    }

    private func newSession(
        _ sessionInfo: Secret<String>, _ code: SMSCode, for order: CodeRequest, isTest: Bool
    ) -> VerificationSession {
        let digests = dependencies.store.digests
        let id = digests.session(sessionInfo.reveal())
        return VerificationSession(
            id: id, realm: order.realm, purpose: order.purpose, number: order.number, accountID: order.accountID,
            factorID: order.factorID, isTest: isTest, codeDigest: digests.code(code.text.reveal(), of: id),
            createdAt: dependencies.now())
    }

    private func message(
        _ code: SMSCode, for order: CodeRequest, _ configuration: ProjectConfiguration
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

    /// Voids the code of a message that was not accepted, and refunds the message if it was certainly not sent.
    private func voidSession(
        _ session: VerificationSession, _ ipAddress: String?, after error: any Error, _ call: BusCall
    ) async throws {
        dependencies.counters.count(.undelivered, session.purpose)
        dependencies.log.error(
            "sms.enqueue-failed",
            ["project": .public(session.realm.project), "error": .kind(of: error)], trace: call.trace)
        // After a timeout the message may be sent.
        let isRefunded = (error as? WireError)?.code != .deadlineExceeded
        try await dependencies.store.void(session, from: ipAddress, isRefunded: isRefunded)
        if isRefunded { dependencies.sendingCounters.countRefunded() }
    }

    private func configuration(of realm: Realm, _ call: BusCall) async throws -> ProjectConfiguration {
        try await dependencies.services.resolveConfiguration(.init(realm: realm), requestContext(for: call))
            .configuration
    }

    static func parsePhoneNumber(_ text: String) -> ParsedPhoneNumber? {
        // `try?`: the error has no details for the caller.
        try? ParsedPhoneNumber(text)
    }

    /// A random UUID (RFC 9562 §5.4), as in production.
    private func newFactorID() -> FactorID {
        FactorID(RandomUUID.text(of: dependencies.randomBytes(16)))
    }
}

extension MFASMSService {
    /// Logs an event without number and code.
    func logEvent(_ event: StaticString, _ session: VerificationSession, _ call: BusCall) {
        dependencies.log.info(
            event,
            [
                "project": .public(session.realm.project), "purpose": .public(session.purpose.rawValue),
                "number": session.isTest ? "test" : "real",
            ], trace: call.trace)
    }
}
