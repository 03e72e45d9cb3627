import Contracts
import Crypto
import Vocabulary

/// Verifies and lists the audit log for the operator.
struct AuditLogHandler: IdentityComponent {
    let context: IdentityContext

    func verify(_ request: Identity.VerifyAuditLog) async throws -> Identity.VerifyAuditLog.Reply {
        let start: AuditLink
        if let after = request.after {
            guard let chain = Base64URL.decode(after.chain), after.link > 0 else {
                throw ServiceError(.invalidRequest, "the position is not one of a reply")
            }
            start = AuditLink(number: after.link, chain: chain)
        } else {
            start = .origin
        }
        try await store.confirmAuditAfterStart(at: now())
        let verification = try await store.verifyAudit(
            after: start, count: Identity.VerifyAuditLog.maximumRecords, at: now())
        let last =
            verification.last == .origin
            ? nil
            : Identity.AuditLogPosition(
                link: verification.last.number, chain: Base64URL.encode(verification.last.chain))
        switch verification.end {
        case .reached: return .init(last: last, isComplete: true)
        case .notReached: return .init(last: last, isComplete: false)
        case .violated(.missing(let link)):
            return .init(last: last, isComplete: true, violation: .missingRecord, violatedLink: link)
        case .violated(.altered(let link)):
            return .init(last: last, isComplete: true, violation: .alteredRecord, violatedLink: link)
        case .violated(.rewritten(let link)):
            return .init(last: last, isComplete: true, violation: .rewrittenChain, violatedLink: link)
        case .violated(.missingAnchor(let link)):
            return .init(last: last, isComplete: true, violation: .missingCopy, violatedLink: link)
        case .violated(.outdatedAnchor(let link)):
            return .init(last: last, isComplete: true, violation: .outdatedCopy, violatedLink: link)
        case .unreadable: return .init(last: last, isComplete: true, violation: .unreadableCopy)
        }
    }

    func list(_ request: Identity.ListAuditRecords) async throws -> Identity.ListAuditRecords.Reply {
        guard (1...Identity.ListAuditRecords.maximumRecords).contains(request.limit),
            request.accountID == nil || request.project != nil
        else { throw ServiceError(.invalidRequest, "count or project is missing or out of range") }
        return .init(records: try await store.auditRecords(request))
    }

    func export(_ request: Identity.ExportAuditRecords) async throws -> Identity.ExportAuditRecords.Reply {
        guard (1...Identity.ExportAuditRecords.maximumRecords).contains(request.limit), request.afterLink >= 0 else {
            throw ServiceError(.invalidRequest, "the link or the number of records is out of range")
        }
        return .init(records: try await store.linkedAuditRecords(after: request.afterLink, count: request.limit))
    }
}
