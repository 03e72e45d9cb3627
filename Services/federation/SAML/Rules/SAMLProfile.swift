import Contracts
import FoundationEssentials
import JSON
import SAML
import Vocabulary

/// The names that providers give to attributes: those of LDAP, its object identifiers (RFC 4519, eduPerson), and the
/// claims of Microsoft. Short names are compared without case.
private enum AttributeNames {
    static let email: Set<String> = [
        "email", "mail", "emailaddress", "email_address", "urn:oid:0.9.2342.19200300.100.1.3",
        "urn:oid:1.2.840.113549.1.9.1", "\(claims)/emailaddress", "\(mace):mail",
    ]
    static let displayName: Set<String> = [
        "displayname", "display_name", "name", "cn", "urn:oid:2.16.840.1.113730.3.1.241", "urn:oid:2.5.4.3",
        "http://schemas.microsoft.com/identity/claims/displayname", "\(mace):displayname", "\(mace):cn",
    ]
    static let firstName: Set<String> = [
        "firstname", "first_name", "givenname", "given_name", "urn:oid:2.5.4.42", "\(claims)/givenname",
        "\(mace):givenname",
    ]
    static let lastName: Set<String> = [
        "lastname", "last_name", "surname", "sn", "familyname", "family_name", "urn:oid:2.5.4.4", "\(claims)/surname",
        "\(mace):sn",
    ]
    static let screenName: Set<String> = ["uid", "username", "urn:oid:0.9.2342.19200300.100.1.1", "\(mace):uid"]
    static let language: Set<String> = ["preferredlanguage", "locale", "urn:oid:2.16.840.1.113730.3.1.39"]

    private static let claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims"
    private static let mace = "urn:mace:dir:attribute-def"
}

extension Federation.ProviderProfile {
    private static let maximumNameLength = 1024

    /// The profile of a verified assertion. Its subject is the name identifier.
    init(_ assertion: SAMLAssertion, of providerID: String, _ saml: Federation.Provider.SAML) {
        func value(_ names: Set<String>) -> String? {
            let found = assertion.attributes.first { attribute in
                names.contains(attribute.name.asciiLowercased) && attribute.values.contains { !$0.isEmpty }
            }
            return found?.values.first { !$0.isEmpty }.map {
                String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.maximumNameLength)))
            }
        }
        let address =
            value(AttributeNames.email).flatMap(EmailAddress.init)
            ?? (assertion.nameIDFormat == .emailAddress ? EmailAddress(assertion.subject) : nil)
        let email = EmailAssertion.saml(address, authoritativeDomains: saml.authoritativeDomains)
        let (firstName, lastName) = (value(AttributeNames.firstName), value(AttributeNames.lastName))
        let fullName =
            value(AttributeNames.displayName)
            ?? [firstName, lastName].compactMap(\.self).joined(separator: " ").nilIfEmpty
        let members = Self.members(of: assertion.attributes)
        self.init(
            identity: ProviderIdentity(
                providerID: providerID, subject: assertion.subject, email: email.address?.rawValue,
                isEmailVerified: email.isVerified, isEmailAuthoritative: email.isAuthoritative, displayName: fullName,
                attributes: ProviderClaims.attributes(members)),
            fullName: fullName, firstName: firstName, lastName: lastName,
            screenName: value(AttributeNames.screenName), language: value(AttributeNames.language),
            rawUserInfo: Self.text(members))
    }

    /// An attribute with one value is a text, every other one an array.
    private static func members(of attributes: [SAMLAssertion.Attribute]) -> [String: JSONValue] {
        // Names are unique.
        Dictionary(
            attributes.map { attribute in
                let values = attribute.values.map(JSONValue.string)
                return (attribute.name, values.count == 1 ? values.first ?? .null : .array(values))
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func text(_ members: [String: JSONValue]) -> String {
        // `try?`: texts can be encoded.
        (try? WireJSON.encodeSorted(JSONValue.object(members))).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
