printf '%s\n' question_id,question,label,llama3,gpt4 '1,is it,yes,yes,no' '2,was it,no,no,no' \
    '3,will it,yes,no,yes' > models.csv
