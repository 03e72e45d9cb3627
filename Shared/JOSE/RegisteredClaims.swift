import Vocabulary

/// The registered claims of a token (RFC 7519 §4.1, OpenID Connect Core §2).
struct RegisteredClaims: Decodable {
    let issuer: String
    let subject: String
    let audiences: [String]
    let authorizedParty: String?
    let expiresAt: Timestamp
    let issuedAt: Timestamp
    let notBefore: Timestamp?
    let authenticatedAt: Timestamp?
    let nonce: String?

    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case audiences = "aud"
        case authorizedParty = "azp"
        case expiresAt = "exp"
        case issuedAt = "iat"
        case notBefore = "nbf"
        case authenticatedAt = "auth_time"
        case nonce
    }

    /// One or several audiences: a string, or an array of strings.
    private struct Audiences: Decodable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {  // `try?`: the other shape is tried next.
                values = [one]
            } else {
                values = try container.decode([String].self)
            }
        }
    }

    /// Seconds since 1970. RFC 7519 §2 allows fractions, which are truncated.
    private struct NumericDate: Decodable {
        let time: Timestamp

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let number = try container.decode(Double.self)
            // A double represents every second up to here; no valid date is later.
            guard (0...0x1p53).contains(number) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date")
            }
            time = Timestamp(seconds: Int64(saturating: number))
        }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try members.decode(String.self, forKey: .issuer)
        subject = try members.decode(String.self, forKey: .subject)
        audiences = try members.decode(Audiences.self, forKey: .audiences).values
        authorizedParty = try members.decodeIfPresent(String.self, forKey: .authorizedParty)
        expiresAt = try members.decode(NumericDate.self, forKey: .expiresAt).time
        issuedAt = try members.decode(NumericDate.self, forKey: .issuedAt).time
        notBefore = try members.decodeIfPresent(NumericDate.self, forKey: .notBefore)?.time
        authenticatedAt = try members.decodeIfPresent(NumericDate.self, forKey: .authenticatedAt)?.time
        nonce = try members.decodeIfPresent(String.self, forKey: .nonce)
    }
}
