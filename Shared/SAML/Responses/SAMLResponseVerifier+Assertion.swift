import Vocabulary

/// The content of a signed assertion.
extension SAMLResponseVerifier {
    private static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
    private static let maximumSubjectBytes = 255
    private static let maximumIDBytes = 256
    private static let maximumAttributes = 256

    func check(assertion: XMLElement, at now: Timestamp) throws(SAMLError) -> SAMLAssertion {
        guard assertion.attribute("Version") == "2.0",
            let id = assertion.attribute("ID"), (1...Self.maximumIDBytes).contains(id.utf8.count),
            let issuedAt = assertion.attribute("IssueInstant").flatMap(SAMLTime.parse)
        else { throw .malformed }
        guard assertion.soleChild("Issuer", in: XMLNamespace.assertion)?.value == issuer else { throw .wrongIssuer }
        guard issuedAt <= now + Self.clockToleranceSeconds else { throw .notYetValid }
        guard let subject = assertion.soleChild("Subject", in: XMLNamespace.assertion) else { throw .invalidSubject }
        var end = try checkConfirmations(of: subject, at: now)
        end = min(end, try checkConditions(of: assertion, at: now))
        end = min(end, try checkStatements(of: assertion, at: now))
        let (nameID, format) = try nameID(of: subject)
        return SAMLAssertion(
            id: id, subject: nameID, nameIDFormat: format, attributes: try attributes(of: assertion),
            acceptableUntil: end + Self.clockToleranceSeconds)
    }

    // MARK: Subject

    private func nameID(of subject: XMLElement) throws(SAMLError) -> (String, SAMLAssertion.NameIDFormat) {
        guard let element = subject.soleChild("NameID", in: XMLNamespace.assertion), let value = element.value,
            (1...Self.maximumSubjectBytes).contains(value.utf8.count),
            // The scalars of Unicode's category Cc, which no identifier needs.
            value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .invalidSubject }
        switch element.attribute("Format") {
        case "urn:oasis:names:tc:SAML:2.0:nameid-format:transient": throw .transientSubject
        case "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent": return (value, .persistent)
        case "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress": return (value, .emailAddress)
        case nil, "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified": return (value, .unspecified)
        default: return (value, .other)
        }
    }

    /// At least one bearer confirmation must be valid (SAML Profiles 4.1.4.2).
    /// - Returns: the time at which the last valid one expires.
    private func checkConfirmations(of subject: XMLElement, at now: Timestamp) throws(SAMLError) -> Timestamp {
        var end: Timestamp?
        var reason = SAMLError.unconfirmedSubject
        for confirmation in subject.children("SubjectConfirmation", in: XMLNamespace.assertion)
        where confirmation.attribute("Method") == Self.bearer {
            do {
                end = max(end ?? Timestamp(seconds: .min), try check(confirmation: confirmation, at: now))
            } catch {
                reason = error
            }
        }
        guard let end else { throw reason }
        return end
    }

    private func check(confirmation: XMLElement, at now: Timestamp) throws(SAMLError) -> Timestamp {
        guard let data = confirmation.soleChild("SubjectConfirmationData", in: XMLNamespace.assertion) else {
            throw .unconfirmedSubject
        }
        guard data.attribute("Recipient") == callbackURL else { throw .wrongRecipient }
        guard data.attribute("InResponseTo") == requestID else { throw .wrongRequest }
        guard data.attribute("NotOnOrAfter") != nil else { throw .unconfirmedSubject }
        return try checkTimes(of: data, at: now)
    }

    // MARK: Conditions

    private func checkConditions(of assertion: XMLElement, at now: Timestamp) throws(SAMLError) -> Timestamp {
        guard let conditions = assertion.soleChild("Conditions", in: XMLNamespace.assertion) else {
            throw .wrongAudience
        }
        let end = try checkTimes(of: conditions, at: now)
        var hasAudience = false
        for condition in conditions.elements {
            guard condition.namespace == XMLNamespace.assertion else { throw .unsupportedCondition }
            switch condition.name {
            case "AudienceRestriction":
                // Every restriction must name this service (SAML Core 2.5.1.4).
                guard
                    condition.children("Audience", in: XMLNamespace.assertion).contains(where: { $0.value == audience })
                else { throw .wrongAudience }
                hasAudience = true
            // Every assertion is used once here, and none is passed on.
            case "OneTimeUse", "ProxyRestriction": continue
            default: throw .unsupportedCondition
            }
        }
        guard hasAudience else { throw .wrongAudience }
        return end
    }

    /// - Returns: the end of the validity; the greatest time without one.
    private func checkTimes(of element: XMLElement, at now: Timestamp) throws(SAMLError) -> Timestamp {
        if let text = element.attribute("NotBefore") {
            guard let start = SAMLTime.parse(text) else { throw .malformed }
            guard start <= now + Self.clockToleranceSeconds else { throw .notYetValid }
        }
        return try checkEnd(element.attribute("NotOnOrAfter"), at: now)
    }

    private func checkEnd(_ text: String?, at now: Timestamp) throws(SAMLError) -> Timestamp {
        guard let text else { return Timestamp(seconds: .max) }
        guard let end = SAMLTime.parse(text) else { throw .malformed }
        guard now < end + Self.clockToleranceSeconds else { throw .expired }
        return end
    }

    // MARK: Statements

    private func checkStatements(of assertion: XMLElement, at now: Timestamp) throws(SAMLError) -> Timestamp {
        var end = Timestamp(seconds: .max)
        let statements = assertion.children("AuthnStatement", in: XMLNamespace.assertion)
        guard !statements.isEmpty else { throw .unauthenticated }
        for statement in statements {
            end = min(end, try checkEnd(statement.attribute("SessionNotOnOrAfter"), at: now))
        }
        return end
    }

    /// Attributes with the same name are one.
    private func attributes(of assertion: XMLElement) throws(SAMLError) -> [SAMLAssertion.Attribute] {
        var attributes: [SAMLAssertion.Attribute] = []
        for statement in assertion.children("AttributeStatement", in: XMLNamespace.assertion) {
            for element in statement.children("Attribute", in: XMLNamespace.assertion) {
                guard let name = element.attribute("Name")?.nilIfEmpty else { throw .malformed }
                let values = element.children("AttributeValue", in: XMLNamespace.assertion).compactMap(\.value)
                if let index = attributes.firstIndex(where: { $0.name == name }) {
                    attributes[index].values += values
                } else {
                    guard attributes.count < Self.maximumAttributes else { throw .tooLarge }
                    attributes.append(.init(name: name, values: values))
                }
            }
        }
        return attributes
    }
}
