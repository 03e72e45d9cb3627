import Postgres
import Testing

@Suite struct PostgresURLTests {
    @Test(
        arguments: [
            ("postgres://u:secret@h:5433/d", "postgres://u@h:5433/d"),
            ("postgresql://u:secret@h/d?sslmode=verify-full", "postgres://u@h/d?sslmode=verify-full"),
            ("postgres://h/d", "postgres://h/d"),
            ("postgres://u:se%2Fc%40ret@[::1]:5432/d", "postgres://u@[::1]:5432/d"),
            ("postgres://u:secret@a:1,b:2/d", "postgres://u@a:1,b:2/d"),
            (
                "postgres://u:secret@a,b:2/d?target_session_attrs=primary",
                "postgres://u@a,b:2/d?target_session_attrs=primary"
            ),
            ("postgres://u@h/d?password=secret", "postgres://u@h/d"),
            ("postgres://u@h/d?sslpassword=secret&sslkey=/k.pem", "postgres://u@h/d?sslkey=/k.pem"),
            ("postgres:///d?host=/run/postgresql&port=5433", "postgres:///d?host=/run/postgresql&port=5433"),
            ("postgres://%C3%BC:secret@h/my%20db", "postgres://%C3%BC@h/my%20db"),
        ])
    func descriptionOmitsPassword(text: String, shown: String) throws {
        let url = try PostgresURL(text)
        #expect(url.description == shown)
        #expect(
            !"\(url) \(String(reflecting: url)) \(String(describing: Mirror(reflecting: url).children.map { $0 }))"
                .contains("secret"))
    }

    @Test(
        arguments: [
            ("", .otherScheme), ("mysql://h/d", .otherScheme), ("host=h dbname=d", .otherScheme),
            ("Postgres://h/d", .otherScheme), ("postgres:h/d", .otherScheme), ("postgres://u:p@h", .noDatabase),
            ("postgres://u:p@h/", .noDatabase), ("postgres://", .noDatabase), ("postgres://u:se/cret@h/d", .badPort),
            ("postgres://h:0/d", .badPort), ("postgres://h:65536/d", .badPort), ("postgres://h:x/d", .badPort),
            ("postgres://u:%zz@h/d", .malformed), ("postgres://[::1/d", .malformed),
            ("postgres://u:p\u{0}@h/d", .malformed),
            ("postgres://h/d?colour=red", .unsupportedParameter("colour")),
            ("postgres://h/d?replication=true", .unsupportedParameter("replication")),
            ("postgres://h/d?service=x", .unsupportedParameter("service")),
            ("postgres://a,b:1,c:2,d/d?port=1,2", .unevenServers), ("postgres://a,,c/d", .unevenServers),
            ("postgres://a,b/d?hostaddr=127.0.0.1", .unevenServers), ("postgres://a,b/d?port=1,2,3", .unevenServers),
            ("postgres://" + Array(repeating: "h", count: 17).joined(separator: ",") + "/d", .tooManyServers),
            ("postgres://h/d?target_session_attrs=standby", .badTarget),
            ("postgres://a,b/d?target_session_attrs=prefer-standby", .badTarget),
            ("postgres://a,b/d?target_session_attrs=any", .anyOfSeveral),
            ("postgres://a,b/d?load_balance_hosts=random", .unsupportedParameter("load_balance_hosts")),
            ("postgres://h/d?connect_timeout=2", .unsupportedParameter("connect_timeout")),
            ("postgres://h/d?sslmode=perhaps", .badSSLMode), ("postgres://h/d?sslmode", .malformed),
        ] as [(String, PostgresURLError)])
    func invalidURLIsRefusedInOneSentence(text: String, fault: PostgresURLError) {
        #expect(throws: fault) { try PostgresURL(text) }
        #expect(!fault.description.contains("cret") && !fault.description.contains("\n"))
    }
}
