import SMTPClient
import Testing
import Vocabulary

/// The URL of a mail server.
@Suite struct SMTPServerTests {
    @Test(arguments: [
        ("smtp://mail.example.com", "smtp://mail.example.com:587", SMTPServer.Security.startTLS),
        ("smtps://mail.example.com", "smtps://mail.example.com:465", .implicitTLS),
        ("SMTP://mail.example.com:25", "smtp://mail.example.com:25", .startTLS),
        ("smtp://user:pass@mail.example.com:2525/", "smtp://mail.example.com:2525", .startTLS),
        ("smtp://mail.example.com?starttls=never", "smtp://mail.example.com:587", .none),
        ("smtp://mail.example.com?starttls=required", "smtp://mail.example.com:587", .startTLS),
        ("smtp://127.0.0.1:25", "smtp://127.0.0.1:25", .none),
        ("smtp://localhost:25", "smtp://localhost:25", .none),
        ("smtp://[::1]:25", "smtp://[::1]:25", .none),
        ("smtp://127.0.0.1:25?starttls=required", "smtp://127.0.0.1:25", .startTLS),
        ("smtp://[2001:db8::1]", "smtp://[2001:db8::1]:587", .startTLS),
    ])
    func urlIsParsed(text: String, description: String, security: SMTPServer.Security) throws {
        let server = try SMTPServer(text)
        #expect(server.description == description)
        #expect(server.security == security)
    }

    @Test func nameAndPasswordAreDecodedAndNotShown() throws {
        let server = try SMTPServer("smtp://a%40b.example:p%3A%2F%C3%BC@mail.example.com/greeting.example")
        #expect(server.user == "a@b.example")
        #expect(server.password?.reveal() == "p:/ü")
        #expect(server.greeting == "greeting.example")
        #expect("\(server)" == "smtp://mail.example.com:587")
        var dumped = ""
        dump(server, to: &dumped)
        #expect(!dumped.contains("p:/ü") && !dumped.contains("%3A"))
    }

    @Test(
        arguments: [
            ("", SMTPServerURLError.scheme), ("mail.example.com", .scheme), ("http://mail.example.com", .scheme),
            ("smtp://", .host), ("smtp:///x", .host), ("smtp://ho st", .notVisibleASCII),
            ("smtp://münchen.example", .notVisibleASCII),
            ("smtp://a_b!c", .host), ("smtp://[::1", .host), ("smtp://[x]", .host),
            ("smtp://h:0", .port), ("smtp://h:65536", .port), ("smtp://h:", .port), ("smtp://h:x", .port),
            ("smtp://h:+25", .port),
            ("smtp://user@h", .credentials), ("smtp://:pass@h", .credentials), ("smtp://user:@h", .credentials),
            ("smtp://u%0d:p@h", .credentials), ("smtp://u%zz:p@h", .credentials), ("smtp://u%2:p@h", .credentials),
            ("smtp://h/gre eting", .notVisibleASCII), ("smtp://h/a/b", .greeting), ("smtp://h/%0d", .greeting),
            ("smtp://h?starttls=maybe", .unexpected("?starttls=maybe")),
            ("smtps://h?starttls=never", .unexpected("?starttls=never")),
            ("smtp://h#x", .unexpected("#")),
            ("smtp://u:p@mail.example.com?starttls=never", .credentialsInTheClear),
        ] as [(String, SMTPServerURLError)])
    func invalidURLIsExplained(text: String, fault: SMTPServerURLError) {
        #expect(throws: fault) { try SMTPServer(text) }
    }

    @Test func errorsOmitPassword() {
        for text in ["smtp://me:hunter2@", "smtp://me:hunter2@h:0", "smtp://me:hunter2@h/a/b", "smtp://me:hunter2@h?x"]
        {
            #expect { try SMTPServer(text) } throws: { !"\($0)".contains("hunter2") }
        }
    }
}
